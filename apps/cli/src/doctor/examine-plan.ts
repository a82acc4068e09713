import { type Call, type ClusterPorts, findIndexBlocks, type IndexDescription } from '@aosc/engine';
import { group } from '../output/text';
import { fail, ok, type Told, warn } from './finding';

/** A planned migration, by the names that the user gave. */
export interface Plan {
  readonly source?: string | undefined;
  readonly target?: string | undefined;
  readonly alias?: string | undefined;
}

/** What the cluster says of a plan's names; undefined for a name that was not given. */
export interface PlanFacts {
  readonly source?: IndexDescription | 'missing';
  readonly target?: IndexDescription | 'missing';
  /** indices that an alias with the source's name is on */
  readonly sourceAliasOf?: readonly string[];
  /** root documents, where the target can be counted */
  readonly targetCount?: number;
  /** indices that the alias points at */
  readonly holders?: readonly string[];
  /** whether an index has the alias's name */
  readonly isAliasTaken?: boolean;
  readonly dataNodes: number;
}

export async function readPlanFacts(
  ports: ClusterPorts,
  { source, target, alias }: Plan,
  dataNodes: number,
  newCall: () => Call,
): Promise<PlanFacts> {
  const describe = async (name: string) => (await ports.index(name).state.describe(newCall())) ?? 'missing';
  const found = target === undefined ? undefined : await describe(target);
  return {
    dataNodes,
    ...(source !== undefined && {
      source: await describe(source),
      sourceAliasOf: await ports.aliases.indicesOf(source, newCall()),
    }),
    ...(found !== undefined && { target: found }),
    ...(target !== undefined &&
      typeof found === 'object' &&
      found.open &&
      findIndexBlocks('target', found).length === 0 && {
        targetCount: await ports.index(target).state.count(undefined, newCall()),
      }),
    ...(alias !== undefined && {
      holders: await ports.aliases.indicesOf(alias, newCall()),
      isAliasTaken: (await describe(alias)) !== 'missing',
    }),
  };
}

/** What a start would refuse, and what would keep the migration from its end. */
export function judgePlan(plan: Plan, facts: PlanFacts): readonly Told[] {
  return [...judgeSource(plan, facts), ...judgeAlias(plan, facts), ...judgeTarget(plan, facts)];
}

function judgeSource({ source = '' }: Plan, facts: PlanFacts): readonly Told[] {
  if (facts.source === undefined) return [];
  if (facts.source !== 'missing')
    return [ok(`the source ${source} is there`), ...judgeBlocks('source', facts.source)];
  const { sourceAliasOf: behind = [] } = facts;
  return behind.length > 0
    ? [
        fail(
          `${source} is an alias of ${behind.join(', ')}`,
          'Name the index itself: an alias can not be the source.',
        ),
      ]
    : [fail(`there is no index ${source}`, 'Check the name: GET _cat/indices lists all indices.')];
}

function judgeAlias({ source, alias }: Plan, { holders, isAliasTaken }: PlanFacts): readonly Told[] {
  if (source === undefined || alias === undefined || holders === undefined) return [];
  if (isAliasTaken === true)
    return [
      fail(
        `${alias} is an index, and no alias`,
        `Put an alias of another name on ${source} (POST _aliases), and let the applications use it.`,
      ),
    ];
  if (holders.length === 1 && holders[0] === source) return [ok(`the alias ${alias} is on ${source}`)];
  if (holders.length > 0)
    return [
      fail(
        `the alias ${alias} is on ${holders.join(', ')}`,
        `The alias has to be on ${source}, and nowhere else: it moves from there to the target.`,
      ),
    ];
  return [
    fail(
      `no index has the alias ${alias}: a start refuses it, unless --create-alias has the swap create it`,
      `Check the name, or put the alias on ${source} (POST _aliases) and let the applications use it before you start.`,
    ),
  ];
}

function judgeTarget({ source = 'SOURCE', target = '' }: Plan, facts: PlanFacts): readonly Told[] {
  const found = facts.target;
  if (found === undefined) return [];
  if (found === 'missing')
    return [warn(`there is no index ${target} yet`, `aosc create-target ${source} ${target} makes one.`)];
  const isFull = facts.targetCount !== undefined && facts.targetCount > 0;
  return [
    isFull
      ? fail(`the target ${target} has ${group(facts.targetCount ?? 0)} documents`, 'Choose an empty one.')
      : ok(`the target ${target} is there`),
    ...judgeBlocks('target', found),
    ...judgeReplicas(target, found, facts.dataNodes),
  ];
}

const judgeBlocks = (role: 'source' | 'target', index: IndexDescription): readonly Told[] =>
  findIndexBlocks(role, index).map(({ text, remedy }) => fail(text, `A start is refused: ${remedy}.`));

/** A target with more replicas than the cluster can place never becomes green, and a migration waits for that. */
function judgeReplicas(target: string, { settings }: IndexDescription, dataNodes: number): readonly Told[] {
  const name = 'index.number_of_replicas';
  const expands = (settings['index.auto_expand_replicas'] ?? 'false') !== 'false';
  const replicas = Number(settings[name] ?? '1');
  if (expands || replicas < dataNodes) return [];
  return [
    fail(
      `${name} of the target ${target} is ${replicas}, which takes ${replicas + 1} data nodes, and the cluster has ${dataNodes}: the target would never be green, and the migration would wait for that`,
      `PUT ${target}/_settings with "${name}": ${Math.max(0, dataNodes - 1)}`,
    ),
  ];
}
