import { AoscError, ownValue } from '@aosc/contract';
import type { NodeTraits } from '@aosc/opensearch';
import { matchesPattern } from '../auth/index-pattern';
import { replicasOf, textOf } from './limited-values';
import type { TargetPlan } from './plan-target';

type Settings = Readonly<Record<string, unknown>>;

/** A setting of allocation that leaves copies of the target without a node. */
interface Misfit {
  readonly setting: string;
  readonly reason: string;
  /** It names nodes, or suited another number of shards: a resize or a move has left it. */
  readonly isLeftover: boolean;
}

interface Filter {
  readonly setting: string;
  readonly rule: string;
  /** the trait of a node that the filter matches */
  readonly trait: string;
  readonly values: readonly string[];
}

const filterName = /^(?:index|cluster)\.routing\.allocation\.(require|include|exclude)\.(.+)$/;
/** These traits name single nodes; all others are attributes that operators gave to nodes on purpose. */
const namesOfNode: Readonly<Record<string, (node: NodeTraits) => readonly (string | undefined)[]>> = {
  _id: ({ id }) => [id],
  _name: ({ name }) => [name],
  name: ({ name }) => [name],
  _host: ({ host, ip }) => [host, ip],
  _ip: ({ ip }) => [ip],
  _host_ip: ({ ip }) => [ip],
  _publish_ip: ({ ip }) => [ip],
};
const ips = ['_ip', '_host_ip', '_publish_ip'];
const limits = {
  'index.routing.allocation.total_shards_per_node': 'copies',
  'index.routing.allocation.total_primary_shards_per_node': 'primaries',
} as const;

/**
 * The plan without the inherited settings of allocation that its shards can't satisfy. Those would leave the target red
 * or yellow for ever, although the source may be green.
 * @param edits settings that the caller has asked for
 * @param mayLeaveOut whether the caller may have a target on nodes that the source is kept from
 * @throws AoscError precondition_failed when the caller asked for such a setting, or when it keeps data on certain
 * nodes by attributes
 */
export function fitAllocation<P extends Pick<TargetPlan, 'definition' | 'leftOut' | 'shardCount'>>(
  plan: P,
  {
    nodes,
    edits,
    mayLeaveOut,
  }: {
    readonly nodes: readonly NodeTraits[];
    readonly edits: Settings;
    readonly mayLeaveOut: boolean;
  },
): P {
  const misfits = findMisfits(plan.definition.settings, plan.shardCount, nodes);
  const fixed = misfits.find(
    ({ setting, isLeftover }) => !isLeftover || !mayLeaveOut || Object.hasOwn(edits, setting),
  );
  if (fixed !== undefined) {
    throw new AoscError(
      'precondition_failed',
      `[${fixed.setting}] would keep the target from getting green: ${fixed.reason}. Give fewer number_of_shards or a lower ` +
        'index.number_of_replicas, or leave the setting out with null',
    );
  }
  const left = new Set(misfits.map(({ setting }) => setting));
  const settings = Object.entries(plan.definition.settings).filter(([name]) => !left.has(name));
  return {
    ...plan,
    definition: { ...plan.definition, settings: Object.fromEntries(settings) },
    leftOut: [...plan.leftOut, ...misfits.map(({ setting, reason }) => ({ setting, reason }))],
  };
}

/** Whether any of its settings depends on the nodes. */
export function hasAllocation({ definition: { settings } }: Pick<TargetPlan, 'definition'>): boolean {
  return Object.keys(settings).some((name) => name.startsWith('index.routing.allocation.'));
}

function findMisfits(
  settings: Settings,
  shardCount: number,
  nodes: readonly NodeTraits[],
): readonly Misfit[] {
  // No filter is to blame when there are more copies than nodes.
  const copies = Math.min(copiesOf(settings), nodes.length);
  const filters = readFilters(settings);
  const all = narrow(filters, nodes, copies);
  const named = filters.filter(isOfNode);
  // A setting by attributes is blamed only for what it causes by itself.
  const others = narrow(
    filters.filter((filter) => !named.includes(filter)),
    nodes,
    copies,
  );
  const misfits = others.isShort
    ? [...others.misfits, ...all.misfits.filter(({ isLeftover }) => isLeftover)]
    : all.misfits.filter(({ isLeftover }) => isLeftover);
  const eligible = all.isShort ? others.eligible : all.eligible;
  return [...misfits, ...findFullNodes(settings, { shardCount, copies, eligible })];
}

/** Filters of an index, or of the cluster. */
export function readFilters(settings: Settings): readonly Filter[] {
  return Object.entries(settings).flatMap(([setting, value]) => readFilter(setting, value));
}

/** Whether a node may have shards under all filters of an index, or of the cluster. */
export function admits(filters: readonly Filter[], node: NodeTraits): boolean {
  const includes = filters.filter(({ rule }) => rule === 'include');
  const others = filters.filter(({ rule }) => rule !== 'include');
  return (
    others.every((filter) => passes(filter, node)) &&
    (includes.length === 0 || includes.some((filter) => passes(filter, node)))
  );
}

function narrow(filters: readonly Filter[], nodes: readonly NodeTraits[], copies: number) {
  const eligible = nodes.filter((node) => admits(filters, node)).length;
  const isShort = eligible < copies;
  const reason = `${eligible} of ${nodes.length} data nodes are left, and each shard has ${copies} copies`;
  const narrowing = filters.filter((filter) => nodes.some((node) => !passes(filter, node)));
  const misfits = narrowing.map((filter): Misfit => {
    return { setting: filter.setting, reason, isLeftover: isOfNode(filter) };
  });
  return { eligible, isShort, misfits: isShort ? misfits : [] };
}

function findFullNodes(
  settings: Settings,
  {
    shardCount,
    copies,
    eligible,
  }: { readonly shardCount: number; readonly copies: number; readonly eligible: number },
): readonly Misfit[] {
  return Object.entries(limits).flatMap(([setting, counted]) => {
    const limit = Number(ownValue(settings, setting) ?? -1);
    const needed = counted === 'copies' ? shardCount * copies : shardCount;
    if (!(limit > 0) || limit * eligible >= needed) return [];
    const reason = `${limit} on each of ${eligible} nodes is less than ${needed} ${counted}`;
    return [{ setting, reason, isLeftover: true }];
  });
}

function copiesOf(settings: Settings): number {
  const expands = textOf(ownValue(settings, 'index.auto_expand_replicas')) || 'false';
  // The cluster makes as many copies as have a place.
  if (expands !== 'false') return 1;
  const replicas = replicasOf(settings);
  return 1 + (Number.isFinite(replicas) ? replicas : 0);
}

function readFilter(setting: string, value: unknown): readonly Filter[] {
  const [, rule, trait] = filterName.exec(setting) ?? [];
  if (rule === undefined || trait === undefined) return [];
  const values = textOf(value)
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  return values.length === 0 ? [] : [{ setting, rule, trait, values }];
}

const isOfNode = ({ trait }: Filter): boolean => Object.hasOwn(namesOfNode, trait);

/** Rules: `DiscoveryNodeFilters.match` of OpenSearch; a match with one of several `include` values is enough. */
function passes({ rule, trait, values }: Filter, node: NodeTraits): boolean {
  const read = ownValue(namesOfNode, trait);
  const found = (read?.(node) ?? [ownValue(node.attributes, trait)]).filter((each) => each !== undefined);
  const matches = (value: string): boolean => found.some((each) => matchesPattern(value, each));
  if (rule === 'exclude') return !values.some(matches);
  return rule === 'require' && !ips.includes(trait) ? values.every(matches) : values.some(matches);
}
