/**
 * Every setting as the contract has it, written down by hand and not taken from the service's own table: name, the
 * default as it is shown, values at both ends, values one beyond them, one of another type.
 */
export interface SettingLine {
  readonly name: string;
  readonly shown: string;
  readonly least: Value;
  readonly most: Value;
  /** one beyond either end, and another type */
  readonly refused: readonly Value[];
  /** settings that must be changed along, because they would contradict an end */
  readonly along?: { readonly least?: Companions; readonly most?: Companions };
}
type Value = string | number | boolean;
type Companions = Readonly<Record<string, Value>>;

const controllers = ['aosc.backfill.controller', 'aosc.replay.controller'] as const;

const controllerLines = controllers.flatMap((prefix): readonly SettingLine[] => [
  {
    name: `${prefix}.batch.size`,
    shown: '500',
    least: 1,
    most: 50_000,
    refused: [0, 50_001, 'many'],
  },
  {
    name: `${prefix}.batch.max_bytes`,
    shown: '100mb',
    least: '1MB',
    most: '512MB',
    refused: ['1048575b', '536870913b', 104_857_600],
  },
  {
    name: `${prefix}.batch.min_bytes`,
    shown: '512kb',
    least: '1KB',
    most: '100MB',
    refused: ['1023b', '104857601b', 'small'],
  },
  {
    name: `${prefix}.batch.max_docs`,
    shown: '500',
    least: 1,
    most: 50_000,
    refused: [0, 50_001, 1.5],
  },
  {
    name: `${prefix}.batch.start_bytes_per_doc`,
    shown: '10kb',
    least: '256B',
    most: '1MB',
    refused: ['255b', '1048577b', '1.5kb'],
  },
  { name: `${prefix}.aimd.increase_threshold`, shown: '3', least: 1, most: 100, refused: [0, 101, true] },
  {
    name: `${prefix}.aimd.increase_ratio`,
    shown: '0.2',
    least: 0.01,
    most: 1,
    refused: [0.009, 1.01, 'half'],
  },
  {
    name: `${prefix}.aimd.min_step_bytes`,
    shown: '256kb',
    least: '1KB',
    most: '100MB',
    refused: ['1023b', '104857601b', '1zb'],
  },
  { name: `${prefix}.aimd.cooldown_ticks`, shown: '2', least: 0, most: 100, refused: [-1, 101, '1s'] },
  {
    name: `${prefix}.aimd.trial_revert_threshold`,
    shown: '0.1',
    least: 0,
    most: 1,
    refused: [-0.01, 1.01, 'NaN'],
  },
  {
    name: `${prefix}.overload.base_pause`,
    shown: '2000',
    least: 100,
    most: '600000ms',
    refused: [99, '99ms', 600_001, '600001ms', 'long'],
    along: { most: { [`${prefix}.overload.max_pause`]: 600_000 } },
  },
  {
    name: `${prefix}.overload.max_pause`,
    shown: '120000',
    least: '1000ms',
    most: 600_000,
    refused: [999, '999ms', 600_001, '600001ms', 'long'],
    along: { least: { [`${prefix}.overload.base_pause`]: 100 } },
  },
]);

export const settingLines: readonly SettingLine[] = [
  {
    name: 'aosc.defaults.convergence_threshold',
    shown: '500',
    least: 0,
    most: 1_000_000,
    refused: [-1, 1_000_001, 'few'],
  },
  {
    name: 'aosc.defaults.max_convergence_rounds',
    shown: '1000',
    least: 1,
    most: 100_000,
    refused: [0, 100_001, '1.0'],
  },
  {
    name: 'aosc.defaults.transient_target_settings',
    shown: '{"index.number_of_replicas":"0","index.refresh_interval":"-1"}',
    least: '{}',
    most: '{"index.refresh_interval":"-1","index.codec":"default"}',
    refused: ['{"number_of_replicas":"0"}', '{"index.refresh_interval"', '[]', 5],
  },
  {
    name: 'aosc.defaults.remove_source_write_block_on_success',
    shown: 'false',
    least: false,
    most: 'true',
    refused: ['yes', 1, 'TRUE'],
  },
  {
    name: 'aosc.liveness.check_interval',
    shown: '30s',
    least: '5s',
    most: '365d',
    refused: ['4999ms', 30, 'soon'],
  },
  {
    name: 'aosc.liveness.timeout',
    shown: '300s',
    least: '10s',
    most: '365d',
    refused: ['9999ms', 300, '-1s'],
  },
  {
    name: 'aosc.target.ready_timeout',
    shown: '4h',
    least: '1m',
    most: '365d',
    refused: ['59s', '59999ms', 14_400, '1.5h'],
  },
  {
    name: 'aosc.backfill.max_concurrent_per_node',
    shown: '2',
    least: 0,
    most: 1000,
    refused: [-1, 1001, 'all'],
  },
  {
    name: 'aosc.backfill.controller.type',
    shown: 'adaptive_batch',
    least: 'fixed',
    most: 'adaptive',
    refused: ['clever', 1, ''],
  },
  {
    name: 'aosc.replay.controller.type',
    shown: 'adaptive_batch',
    least: 'fixed',
    most: 'adaptive_batch',
    refused: ['adaptive', 'clever', 1],
  },
  {
    name: 'aosc.backfill.read.page_size',
    shown: '1000',
    least: 1,
    most: 50_000,
    refused: [0, 50_001, 'a page'],
  },
  {
    name: 'aosc.backfill.controller.concurrency',
    shown: '1',
    least: 1,
    most: 32,
    refused: [0, 33, 'two'],
    along: { most: { 'aosc.backfill.controller.concurrency.max': 32 } },
  },
  {
    name: 'aosc.backfill.controller.concurrency.max',
    shown: '8',
    least: 1,
    most: 32,
    refused: [0, 33, '8 at once'],
  },
  {
    name: 'aosc.backfill.controller.concurrency.probe_interval',
    shown: '5',
    least: 1,
    most: 100,
    refused: [0, 101, '5s'],
  },
  {
    name: 'aosc.backfill.controller.concurrency.gradient_threshold',
    shown: '1.5',
    least: 1,
    most: 10,
    refused: [0.99, 10.01, 'steep'],
  },
  {
    name: 'aosc.overload.max_consecutive_failures',
    shown: '50',
    least: 1,
    most: 10_000,
    refused: [0, 10_001, 'never'],
  },
  ...controllerLines,
];
