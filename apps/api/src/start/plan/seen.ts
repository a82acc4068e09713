import { createHash } from 'node:crypto';
import { AoscError, ownValue } from '@aosc/contract';
import { isOwnName } from '@aosc/domain';
import { instead } from '@aosc/engine';
import type { Allocation, IndexDefinition, Templates } from '@aosc/opensearch';
import type { ApiDependencies } from '../../dependencies';
import { compareDefinitions } from '../../target/compare-definitions';
import { selectTemplates } from '../../target/matching-templates';
import { isAliasName, isIndexName } from '../name-problems';
import type { StartContext } from '../checks';

/** What a plan depends on, beside what the checks of a start read. */
export interface Seen {
  readonly source: IndexDefinition | undefined;
  /** undefined: there is no such index yet */
  readonly target: IndexDefinition | undefined;
  /** names of the index templates that match each name; undefined: the user of the service may not read them */
  readonly templates: { readonly source: readonly string[]; readonly target: readonly string[] } | undefined;
  /** how the target differs from the source; undefined: one of them is not there */
  readonly compared: ReturnType<typeof compareDefinitions> | undefined;
  readonly allocation: Allocation;
  readonly planId: string;
  /** what the id stands for, part by part */
  readonly parts: readonly string[];
}

/** Reads what a plan depends on, and a start that follows a plan. */
export async function see(
  deps: Pick<ApiDependencies, 'cluster' | 'readDefinition' | 'readTemplates' | 'readAllocation'>,
  {
    request,
    options,
    source: { index },
    call,
  }: Pick<StartContext, 'request' | 'options' | 'source' | 'call'>,
): Promise<Seen> {
  const { plan: _, ...asked } = request;
  const [source, target, all, allocation, holders] = await Promise.all([
    deps.readDefinition(index, call),
    isIndexName(asked.target) ? deps.readDefinition(asked.target, call) : undefined,
    deps.readTemplates(call).catch(instead(undefined, 'forbidden')),
    deps.readAllocation(index, call),
    isAliasName(asked.alias) ? deps.cluster.aliases.indicesOf(asked.alias, call) : [],
  ]);
  const templates = all && {
    source: templatesOf(all, index, source),
    target: templatesOf(all, asked.target, target),
  };
  const parts = {
    'the request, or a default of its options': [asked, options],
    'settings of the source': source?.settings,
    'the mapping of the source': source?.mappings,
    'settings of the target': target?.settings,
    'the mapping of the target': target?.mappings,
    aliases: [ownAliasesLeftOut(source), ownAliasesLeftOut(target), holders.toSorted()],
    'the index templates that match': templates,
    'settings of the cluster': allocation.settings,
  };
  const planId = [version, ...Object.values(parts).map(digest)].join('.');
  const compared = source && target && compareDefinitions(source, target);
  return { source, target, compared, templates, allocation, planId, parts: Object.keys(parts) };
}

/** Of the id: another version of the service may see other things. */
const version = '1';

/** @throws AoscError conflict, with the parts that have changed since the plan; illegal_argument when it is no plan's id */
export function requireUnchanged(
  plan: string | undefined,
  { planId, parts }: Pick<Seen, 'planId' | 'parts'>,
): void {
  if (plan === undefined || plan === planId) return;
  const [before, now] = [plan.split('.'), planId.split('.')];
  if (before[0] !== version || before.length !== now.length)
    throw new AoscError(
      'illegal_argument',
      `[${plan}] is not the plan_id of a plan of this version; make a new plan`,
    );
  const changed = parts.filter((_, at) => before[at + 1] !== now[at + 1]);
  throw new AoscError(
    'conflict',
    `since the plan these have changed: ${changed.join('; ')}. Make a new plan`,
  );
}

function templatesOf(
  all: Templates,
  name: string,
  definition: Pick<IndexDefinition, 'settings'> | undefined,
): readonly string[] {
  const isHidden = String(ownValue(definition?.settings ?? {}, 'index.hidden')) === 'true';
  const { composable, legacy } = selectTemplates(all, { name, isHidden });
  return [...(composable === undefined ? [] : [composable]), ...legacy].map((one) => one.name);
}

/** The aliases of the service come and go. */
function ownAliasesLeftOut(definition: IndexDefinition | undefined): unknown {
  return Object.entries(definition?.aliases ?? {}).filter(([name]) => !isOwnName(name));
}

/** @param value as JSON has it */
function digest(value: unknown): string {
  const text = JSON.stringify(value ?? null, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
  return createHash('sha256').update(text).digest('base64url').slice(0, 8);
}
