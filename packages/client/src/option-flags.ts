import type { Schemas } from './generated/types.ts';

type MigrationOptions = Schemas['MigrationOptions'];
type CutoverWindow = Schemas['CutoverWindow'];

/** Flags of the command line, each with its value if it has one. */
type Flags = readonly (readonly string[])[];

/** The flag of the command line for each option, with its value; an empty list leaves the option out. */
const optionFlags: {
  readonly [Name in keyof Required<MigrationOptions>]: (options: MigrationOptions) => Flags;
} = {
  convergence_threshold_per_shard: (of) =>
    valued('--convergence-threshold', of.convergence_threshold_per_shard),
  max_convergence_rounds_per_shard: (of) => valued('--max-rounds', of.max_convergence_rounds_per_shard),
  doc_count_tolerance: (of) => valued('--doc-count-tolerance', of.doc_count_tolerance),
  target_ready_timeout_seconds: (of) =>
    valued('--target-ready-timeout', of.target_ready_timeout_seconds, (value) => `${String(value)}s`),
  validation_query: (of) => valued('--validation-query', of.validation_query, JSON.stringify),
  accept_data_loss_if_custom_routing_is_used: (of) =>
    of.accept_data_loss_if_custom_routing_is_used === true ? [['--accept-data-loss']] : [],
  fail_on_mapping_drift: (of) => (of.fail_on_mapping_drift === true ? [['--fail-on-mapping-drift']] : []),
  copy: (of) => valued('--copy', of.copy),
  merge_before_replicas: (of) => (of.merge_before_replicas === false ? [['--no-merge-before-replicas']] : []),
  verify: (of) => valued('--verify', of.verify),
  rehearse: (of) => (of.rehearse === true ? [['--rehearse']] : []),
  on_document_error: (of) => valued('--on-document-error', of.on_document_error),
  max_documents_set_aside: (of) => valued('--max-set-aside', of.max_documents_set_aside),
  create_alias: (of) => (of.create_alias === true ? [['--create-alias']] : []),
  remove_source_write_block_on_success: (of) =>
    of.remove_source_write_block_on_success === true ? [['--remove-source-write-block']] : [],
  transient_target_settings: (of) =>
    Object.entries(of.transient_target_settings ?? {}).map(([name, setting]) => [
      '--target-setting',
      `${name}=${String(setting)}`,
    ]),
  cutover: (of) => valued('--cutover', of.cutover),
  max_pause_ms: (of) => valued('--max-pause', of.max_pause_ms, (value) => `${String(value)}ms`),
  max_cutover_attempts: (of) => valued('--max-cutover-attempts', of.max_cutover_attempts),
  cutover_not_before: (of) => valued('--not-before', of.cutover_not_before),
  cutover_windows: (of) => (of.cutover_windows ?? []).map((window) => ['--window', showWindow(window)]),
};

function showWindow({ days, from, to, time_zone: zone }: CutoverWindow): string {
  return [days?.join(','), `${from}-${to}`, zone].filter((part) => part !== undefined).join(' ');
}

function valued(flag: string, value: unknown, show: (value: unknown) => string = String): Flags {
  return value === undefined ? [] : [[flag, show(value)]];
}

/** Options that have no flag for their value, as `name: value`: without one a start takes the cluster's default. */
export const withoutFlag = (options: MigrationOptions): readonly string[] => [
  ...(Object.keys(options.transient_target_settings ?? { none: true }).length === 0
    ? ['transient_target_settings: {}']
    : []),
  ...(options.remove_source_write_block_on_success === false
    ? ['remove_source_write_block_on_success: false']
    : []),
];

/** The flags that give `aosc start` these options. */
export const flagsOf = (options: MigrationOptions): Flags =>
  Object.values(optionFlags).flatMap((flags) => flags(options));
