/**
 * Every setting as the contract has it, written down by hand and not taken from the service's own table: name, the
 * default as it is shown, values at both ends, values one beyond them, one of another type.
 */
export interface SettingLine {
  readonly name: string;
  readonly shown: string;
  readonly min: Value;
  readonly max: Value;
  /** one beyond either end, and another type */
  readonly refused: readonly Value[];
  /** settings that must be changed along, because they would contradict an end */
  readonly along?: { readonly min?: Companions; readonly max?: Companions };
}
type Value = string | number | boolean;
type Companions = Readonly<Record<string, Value>>;

const controllers = ['aosc.backfill.controller', 'aosc.replay.controller'] as const;

const controllerLines = controllers.flatMap((prefix): readonly SettingLine[] => [
  {
    name: `${prefix}.batch.size`,
    shown: '500',
    min: 1,
    max: 50_000,
    refused: [0, 50_001, 'many'],
  },
  {
    name: `${prefix}.batch.max_bytes`,
    shown: '100mb',
    min: '1MB',
    max: '512MB',
    refused: ['1048575b', '536870913b', 104_857_600],
  },
  {
    name: `${prefix}.batch.min_bytes`,
    shown: '512kb',
    min: '1KB',
    max: '100MB',
    refused: ['1023b', '104857601b', 'small'],
  },
  {
    name: `${prefix}.batch.max_docs`,
    shown: '500',
    min: 1,
    max: 50_000,
    refused: [0, 50_001, 1.5],
  },
  {
    name: `${prefix}.batch.start_bytes_per_doc`,
    shown: '10kb',
    min: '256B',
    max: '1MB',
    refused: ['255b', '1048577b', '1.5kb'],
  },
  { name: `${prefix}.aimd.increase_threshold`, shown: '3', min: 1, max: 100, refused: [0, 101, true] },
  {
    name: `${prefix}.aimd.increase_ratio`,
    shown: '0.2',
    min: 0.01,
    max: 1,
    refused: [0.009, 1.01, 'half'],
  },
  {
    name: `${prefix}.aimd.min_step_bytes`,
    shown: '256kb',
    min: '1KB',
    max: '100MB',
    refused: ['1023b', '104857601b', '1zb'],
  },
  { name: `${prefix}.aimd.cooldown_ticks`, shown: '2', min: 0, max: 100, refused: [-1, 101, '1s'] },
  {
    name: `${prefix}.aimd.trial_revert_threshold`,
    shown: '0.1',
    min: 0,
    max: 1,
    refused: [-0.01, 1.01, 'NaN'],
  },
  {
    name: `${prefix}.overload.base_pause`,
    shown: '2000',
    min: 100,
    max: '600000ms',
    refused: [99, '99ms', 600_001, '600001ms', 'long'],
    along: { max: { [`${prefix}.overload.max_pause`]: 600_000 } },
  },
  {
    name: `${prefix}.overload.max_pause`,
    shown: '120000',
    min: '1000ms',
    max: 600_000,
    refused: [999, '999ms', 600_001, '600001ms', 'long'],
    along: { min: { [`${prefix}.overload.base_pause`]: 100 } },
  },
]);

export const settingLines: readonly SettingLine[] = [
  {
    name: 'aosc.defaults.convergence_threshold',
    shown: '500',
    min: 0,
    max: 1_000_000,
    refused: [-1, 1_000_001, 'few'],
  },
  {
    name: 'aosc.defaults.max_convergence_rounds',
    shown: '1000',
    min: 1,
    max: 100_000,
    refused: [0, 100_001, '1.0'],
  },
  {
    name: 'aosc.defaults.transient_target_settings',
    shown: '{"index.number_of_replicas":"0","index.refresh_interval":"-1"}',
    min: '{}',
    max: '{"index.refresh_interval":"-1","index.codec":"default"}',
    refused: ['{"number_of_replicas":"0"}', '{"index.refresh_interval"', '[]', 5],
  },
  {
    name: 'aosc.defaults.remove_source_write_block_on_success',
    shown: 'false',
    min: false,
    max: 'true',
    refused: ['yes', 1, 'TRUE'],
  },
  {
    name: 'aosc.liveness.check_interval',
    shown: '30s',
    min: '5s',
    max: '365d',
    refused: ['4999ms', 30, 'soon'],
  },
  {
    name: 'aosc.liveness.timeout',
    shown: '300s',
    min: '10s',
    max: '365d',
    refused: ['9999ms', 300, '-1s'],
  },
  {
    name: 'aosc.target.ready_timeout',
    shown: '4h',
    min: '1m',
    max: '365d',
    refused: ['59s', '59999ms', 14_400, '1.5h'],
  },
  {
    name: 'aosc.backfill.max_concurrent_per_node',
    shown: '2',
    min: 0,
    max: 1000,
    refused: [-1, 1001, 'all'],
  },
  {
    name: 'aosc.backfill.controller.type',
    shown: 'adaptive_batch',
    min: 'fixed',
    max: 'adaptive',
    refused: ['clever', 1, ''],
  },
  {
    name: 'aosc.replay.controller.type',
    shown: 'adaptive_batch',
    min: 'fixed',
    max: 'adaptive_batch',
    refused: ['adaptive', 'clever', 1],
  },
  {
    name: 'aosc.backfill.read.page_size',
    shown: '1000',
    min: 1,
    max: 50_000,
    refused: [0, 50_001, 'a page'],
  },
  {
    name: 'aosc.backfill.controller.concurrency',
    shown: '1',
    min: 1,
    max: 32,
    refused: [0, 33, 'two'],
    along: { max: { 'aosc.backfill.controller.concurrency.max': 32 } },
  },
  {
    name: 'aosc.backfill.controller.concurrency.max',
    shown: '8',
    min: 1,
    max: 32,
    refused: [0, 33, '8 at once'],
  },
  {
    name: 'aosc.backfill.controller.concurrency.probe_interval',
    shown: '5',
    min: 1,
    max: 100,
    refused: [0, 101, '5s'],
  },
  {
    name: 'aosc.backfill.controller.concurrency.gradient_threshold',
    shown: '1.5',
    min: 1,
    max: 10,
    refused: [0.99, 10.01, 'steep'],
  },
  {
    name: 'aosc.overload.max_consecutive_failures',
    shown: '50',
    min: 1,
    max: 10_000,
    refused: [0, 10_001, 'never'],
  },
  ...controllerLines,
];
