import type { Limits } from './setting-values';

/**
 * Every `aosc.*` setting (contract, section 8): the one source for parsing, defaults, `GET /_cluster/settings`
 * and the documentation. Defaults and limits are written as OpenSearch would show them.
 * All are dynamic: the code reads one at each decision.
 */
export type SettingDefinition = Limits & {
  readonly default: string;
  readonly description: string;
} & (
    | { readonly type: 'int' | 'double' | 'time' | 'millis' | 'bytes' }
    | { readonly type: 'boolean' }
    | { readonly type: 'json-object' }
    | {
        readonly type: 'enum';
        readonly values: readonly string[];
        /** values refused with a text of their own */
        readonly refused?: Readonly<Record<string, string>>;
      }
  );

/** A row for a number with its limits. */
const row =
  <T extends 'int' | 'double' | 'time' | 'millis' | 'bytes'>(type: T) =>
  (value: string, min: string, max: string | undefined, description: string) => ({
    type,
    default: value,
    min,
    ...(max === undefined ? {} : { max }),
    description,
  });
const int = row('int');
const double = row('double');
const time = row('time');
const millis = row('millis');
const bytes = row('bytes');

/** The settings that the bulk writers of backfill and of replay have each of their own. */
const controllerRows = {
  'batch.size': int('500', '1', '50000', 'documents per bulk request of the fixed controller'),
  'batch.max_bytes': bytes('100mb', '1mb', '512mb', 'upper limit of a bulk request'),
  'batch.min_bytes': bytes('512kb', '1kb', '100mb', 'the byte target never shrinks below this'),
  'batch.max_docs': int(
    '500',
    '1',
    '50000',
    'upper limit of documents per bulk request when the size adapts',
  ),
  'batch.start_bytes_per_doc': bytes('10kb', '256b', '1mb', 'size of a document assumed before one was seen'),
  'aimd.increase_threshold': int('3', '1', '100', 'successes in a row before the byte target grows'),
  'aimd.increase_ratio': double('0.2', '0.01', '1.0', 'growth of the byte target, as a part of it'),
  'aimd.min_step_bytes': bytes('256kb', '1kb', '100mb', 'smallest growth of the byte target'),
  'aimd.cooldown_ticks': int('2', '0', '100', 'successes after a decrease during which nothing grows'),
  'aimd.trial_revert_threshold': double(
    '0.1',
    '0.0',
    '1.0',
    'loss of throughput, as a part of it, that takes the last growth back',
  ),
  'overload.base_pause': millis(
    '2000',
    '100',
    '600000',
    'first pause after an overload; doubles with each one more',
  ),
  'overload.max_pause': millis(
    '120000',
    '1000',
    '600000',
    'longest pause after an overload, jitter of 25% excluded',
  ),
} as const;

/** A table with a prefix put before each key. */
function prefixed<P extends string, T extends Readonly<Record<string, SettingDefinition>>>(
  prefix: P,
  rows: T,
) {
  // Object.fromEntries forgets the keys' types, which are known here.
  return Object.fromEntries(
    Object.entries(rows).map(([suffix, definition]) => [prefix + suffix, definition]),
  ) as {
    readonly [K in keyof T & string as `${P}${K}`]: T[K];
  };
}

const controllerType =
  'how bulk requests are sized: fixed, adaptive_batch (size) or adaptive (size and concurrency)';

export const settingsTable = {
  'aosc.defaults.convergence_threshold': int(
    '500',
    '0',
    '1000000',
    'operations left to replay at which a shard counts as converged, unless the start request says otherwise',
  ),
  'aosc.defaults.max_convergence_rounds': int('1000', '1', '100000', 'replay rounds before a shard gives up'),
  'aosc.defaults.transient_target_settings': {
    type: 'json-object',
    default: '{"index.number_of_replicas":"0","index.refresh_interval":"-1"}',
    description: 'settings of the target while it is filled, restored before the cutover; {} or blank: none',
  },
  'aosc.defaults.remove_source_write_block_on_success': {
    type: 'boolean',
    default: 'false',
    description: 'lift the write block of the source after a successful cutover',
  },
  'aosc.cutover.hold_writers': {
    type: 'boolean',
    default: 'true',
    description: 'writers of the source wait while a cutover has its last rounds, where that is possible',
  },
  'aosc.cutover.max_hold': time(
    '3s',
    '100ms',
    '30s',
    'writers wait no longer before the write block; then the cutover is undone and tried again later',
  ),
  'aosc.cutover.max_pause': time(
    '10s',
    '100ms',
    '1h',
    'a cutover with a longer pause of writes does not begin, or is undone, and is tried again later, unless its start says otherwise (max_pause_ms)',
  ),
  'aosc.liveness.check_interval': time('30s', '5s', undefined, 'how often lost workers are looked for'),
  'aosc.liveness.timeout': time('300s', '10s', undefined, 'silence after which a worker counts as lost'),
  'aosc.target.ready_timeout': time('4h', '1m', undefined, 'longest wait for the target to become green'),
  'aosc.overload.max_consecutive_failures': int('50', '1', '10000', 'overloads in a row that fail the shard'),
  'aosc.backfill.max_concurrent_per_node': int(
    '2',
    '0',
    '1000',
    'shards that may be backfilled at once from one data node; 0: none is begun',
  ),
  'aosc.backfill.read.page_size': int('1000', '1', '50000', 'upper limit of documents per page read'),
  'aosc.backfill.controller.type': {
    type: 'enum',
    default: 'adaptive_batch',
    values: ['fixed', 'adaptive_batch', 'adaptive'],
    description: controllerType,
  },
  'aosc.replay.controller.type': {
    type: 'enum',
    default: 'adaptive_batch',
    values: ['fixed', 'adaptive_batch'],
    refused: { adaptive: "Replay controller does not support 'adaptive' — use 'fixed' or 'adaptive_batch'" },
    description: controllerType,
  },
  'aosc.backfill.controller.concurrency': int(
    '1',
    '1',
    '32',
    'bulk requests in flight per shard; where the adaptive controller begins',
  ),
  'aosc.backfill.controller.concurrency.max': int('8', '1', '32', 'upper limit of the adaptive concurrency'),
  'aosc.backfill.controller.concurrency.probe_interval': int(
    '5',
    '1',
    '100',
    'steady successes before the adaptive concurrency grows by one',
  ),
  'aosc.backfill.controller.concurrency.gradient_threshold': double(
    '1.5',
    '1.0',
    '10.0',
    'short-term over long-term latency at which the adaptive controller retreats',
  ),
  ...prefixed('aosc.backfill.controller.', controllerRows),
  ...prefixed('aosc.replay.controller.', controllerRows),
} as const satisfies Readonly<Record<string, SettingDefinition>>;

export type SettingKey = keyof typeof settingsTable;
export const settingKeys: readonly string[] = Object.keys(settingsTable);

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(settingsTable, key);
}
