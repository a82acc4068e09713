import { ownValue } from '@aosc/contract';

/** Settings by full name. */
type Settings = Readonly<Record<string, unknown>>;

/** What OpenSearch gives an index that sets none. */
export const usualReplicas = 1;

/** Copies beside the primary that settings ask for; not a number where they hold none. */
export const replicasOf = (settings: Settings): number =>
  Number(ownValue(settings, 'index.number_of_replicas') ?? usualReplicas);
/** What OpenSearch does by itself. */
const shortestRefreshMs = 1_000;

/** Java reads digits of every script as numbers, so a value with other characters than these is refused. */
const wholeNumber = /^[0-9]{1,6}$/;
const range = /^[0-9]{1,6}-([0-9]{1,6})$/;
const time = /^([0-9]{1,9})(ms|s|m|h|d)$/;
const millisOf: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** @returns what is permitted instead; undefined: the value is */
type Bound = (value: unknown, source: Settings) => string | undefined;

const replicas: Bound = (value, source) => {
  const most = mostReplicas(source);
  const text = textOf(value);
  if (value === null || (wholeNumber.test(text) && Number(text) <= most)) return undefined;
  return `may have at most ${most} replicas of this source`;
};

const expandedReplicas: Bound = (value, source) => {
  const most = mostReplicas(source);
  const text = textOf(value);
  if (value === null || text === 'false') return undefined;
  const upper = range.exec(text)?.[1];
  if (upper !== undefined && Number(upper) <= most) return undefined;
  return `may expand to at most ${most} replicas of this source, as in [0-${most}]; [all] is as many as there are nodes`;
};

const refreshInterval: Bound = (value, source) => {
  const text = textOf(value);
  if (value === null || text === '-1' || sameValue(value, source['index.refresh_interval'])) return undefined;
  const [, count, unit] = time.exec(text) ?? [];
  if (count !== undefined && Number(count) * (millisOf.get(unit ?? '') ?? 0) >= shortestRefreshMs)
    return undefined;
  return 'may have a refresh_interval of [1s] or longer, or [-1]';
};

const routingShardsSetting = 'index.number_of_routing_shards';
/** The most that OpenSearch itself gives an index. */
const usualRoutingShards = 1_024;

const routingShards: Bound = (value, source) => {
  const own = Number(source[routingShardsSetting] ?? 0);
  const most = Math.max(usualRoutingShards, Number.isFinite(own) ? own : 0);
  const text = textOf(value);
  if (value === null || (wholeNumber.test(text) && Number(text) <= most)) return undefined;
  return `may have at most ${most} routing shards`;
};

const bounds: ReadonlyMap<string, Bound> = new Map([
  [routingShardsSetting, routingShards],
  ['index.number_of_replicas', replicas],
  ['index.number_of_search_replicas', replicas],
  ['index.auto_expand_replicas', expandedReplicas],
  ['index.auto_expand_search_replicas', expandedReplicas],
  ['index.refresh_interval', refreshInterval],
]);

export const isBounded = (name: string): boolean => bounds.has(name);

/**
 * Whether a value that a limited caller gives a setting costs the cluster more than an index usually does.
 * @param source of the index that the target is to replace
 * @returns what is permitted instead; undefined: the value is permitted, or this service knows no bound for the setting
 */
export function findValueAboveBound(name: string, value: unknown, source: Settings): string | undefined {
  return bounds.get(name)?.(value, source);
}

/** Whether OpenSearch reads the same from both: it accepts texts for numbers and truth values. */
export function sameValue(a: unknown, b: unknown): boolean {
  return a === b || (textOf(a) !== '' && textOf(a) === textOf(b));
}

/** Empty for lists and objects, which none of these settings takes. */
export function textOf(value: unknown): string {
  const isSingle = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isSingle ? String(value) : '';
}

/** As many as the source has, and at least one. */
function mostReplicas(source: Settings): number {
  const own = Number(source['index.number_of_replicas'] ?? usualReplicas);
  return Math.max(usualReplicas, Number.isFinite(own) ? own : usualReplicas);
}
