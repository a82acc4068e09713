import type { MigrationOptions } from '@aosc/client';
import type { SettingRow } from './profiles';

export type OptionName = keyof MigrationOptions;

interface OptionWords {
  readonly label: string;
  /** the setting that has its default */
  readonly setting?: string;
  /** its default where no setting has it */
  readonly fallback?: string;
}

/**
 * The options of a start in words. `create_alias` is asked beside the alias, and `copy` beside the target.
 */
export const optionWords: Readonly<Record<Exclude<OptionName, 'create_alias' | 'copy'>, OptionWords>> = {
  doc_count_tolerance: { label: 'Accepted difference of the document counts', fallback: '0' },
  validation_query: { label: 'Query that filters the counts', fallback: '' },
  remove_source_write_block_on_success: {
    label: 'Lift the write block of the source after the swap',
    setting: 'aosc.defaults.remove_source_write_block_on_success',
  },
  accept_data_loss_if_custom_routing_is_used: {
    label: 'Accept that documents are routed by new rules',
    fallback: 'false',
  },
  fail_on_mapping_drift: {
    label: 'End the migration when a mapping drifts',
    fallback: 'false',
  },
  convergence_threshold_per_shard: {
    label: 'Gap at which a shard has converged',
    setting: 'aosc.defaults.convergence_threshold',
  },
  max_convergence_rounds_per_shard: {
    label: 'Rounds before a shard gives up',
    setting: 'aosc.defaults.max_convergence_rounds',
  },
  target_ready_timeout_seconds: {
    label: 'Longest wait for a green target, in seconds',
    setting: 'aosc.target.ready_timeout',
  },
  transient_target_settings: {
    label: 'Settings of the target while it is filled',
    setting: 'aosc.defaults.transient_target_settings',
  },
  merge_before_replicas: {
    label: 'Of a split by files: merge deleted documents away before replicas are made',
    fallback: 'true',
  },
  rehearse: { label: 'Rehearse: end before the cutover', fallback: 'false' },
  verify: { label: 'What the cutover needs: equal counts, or every document verified', fallback: 'count' },
  on_document_error: { label: 'A document that the target refuses', fallback: 'fail' },
  max_documents_set_aside: { label: 'Refused documents at most', fallback: '1000' },
  cutover: { label: 'Who begins the cutover', fallback: 'automatic' },
  cutover_not_before: { label: 'Earliest moment of the cutover', fallback: '' },
  cutover_windows: { label: 'Windows of the cutover', fallback: '' },
  max_pause_ms: { label: 'Longest pause of writes, in milliseconds', fallback: '' },
  max_cutover_attempts: { label: 'Undone cutovers before it fails', fallback: '' },
};

/** The values that apply when a start does not give them. @param settings in force */
export function optionDefaults(settings: readonly SettingRow[]): ReadonlyMap<string, string> {
  const values = new Map(settings.map(({ name, value }) => [name, value]));
  return new Map(
    Object.entries(optionWords).map(([name, { setting, fallback = '' }]) => {
      const value = setting === undefined ? fallback : (values.get(setting) ?? fallback);
      return [name, name === 'target_ready_timeout_seconds' ? toSeconds(value) : value];
    }),
  );
}

const seconds: ReadonlyMap<string, number> = new Map([
  ['ms', 0.001],
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
]);

/** OpenSearch's time with a unit. */
function toSeconds(time: string): string {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(time) ?? [];
  const factor = seconds.get(unit);
  return factor === undefined ? '' : String(Math.ceil(Number(number) * factor));
}
