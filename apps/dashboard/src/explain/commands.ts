import type { CreateTargetRequest, CutoverWindow, MigrationOptions, StartRequest } from '@aosc/client';

/** A text as one argument of a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A word of a command, in quotes where a shell would interpret it. */
const word = (text: string): string => (/^[\w./:=-]+$/.test(text) ? text : quote(text));

const json = (value: unknown): string => JSON.stringify(value);

/** The request as curl sends it. @param origin of the API */
export function curlCommand(origin: string, method: string, path: string, body?: unknown): string {
  const parts = [`curl -X ${method} ${quote(`${origin}${path}`)}`];
  if (body !== undefined) {
    parts.push("-H 'content-type: application/json'", `-d ${quote(JSON.stringify(body, undefined, 2))}`);
  }
  return parts.join(' \\\n  ');
}

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
  validation_query: (of) => valued('--validation-query', of.validation_query, json),
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

/** The start as the command line sends it. @param origin of the API */
export function startCommand(
  origin: string,
  source: string,
  {
    target_index: target,
    alias,
    transform_script: script,
    create_target: made = {},
    options = {},
    plan,
  }: Partial<StartRequest>,
): string {
  return aoscCommand(
    origin,
    ['start', source || 'source', target ?? 'target'],
    [
      ['--alias', alias ?? 'alias'],
      ...Object.values(optionFlags).flatMap((flagsOf) => flagsOf(options)),
      ...valued('--shards', made.number_of_shards),
      ...valued('--settings', made.settings, json),
      ...valued('--script', script?.source),
      ...valued('--stored-script', script?.id),
      ...valued('--script-params', script?.params, json),
      ...valued('--plan', plan),
    ],
  );
}

/** The creation of a target as the command line sends it. @param origin of the API */
export function createTargetCommand(origin: string, source: string, request: CreateTargetRequest): string {
  const { target_index: target, number_of_shards: shards, settings, mappings } = request;
  return aoscCommand(
    origin,
    ['create-target', source || 'source', target || 'target'],
    [
      ...valued('--shards', shards),
      ...valued('--settings', settings, json),
      ...valued('--mappings', mappings, json),
    ],
  );
}

/** A change of settings as the command line sends it. @param origin of the API @param values null: the default */
export function setCommand(origin: string, values: readonly (readonly [string, string | null])[]): string {
  const pairs = values.map(([name, value]) => `${name}=${value ?? 'null'}`);
  return aoscCommand(origin, ['settings', 'set', ...pairs], []);
}

function aoscCommand(origin: string, words: readonly string[], flags: Flags): string {
  const lines = [words, ['--url', origin], ...flags].map((line) => line.map(word).join(' '));
  return `aosc ${lines.join(' \\\n  ')}`;
}
