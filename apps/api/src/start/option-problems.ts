import { findCutoverProblems } from './cutover-problems';
import {
  AoscError,
  type MigrationOptionsWire,
  parseSetting,
  quoteValue,
  type SettingKey,
  shorten,
  ownValue,
} from '@aosc/contract';

/** Options whose range is that of a cluster setting, and how the option's value reads as one. */
const settingOfOption: Readonly<Record<string, { key: SettingKey; text: (value: unknown) => unknown }>> = {
  convergence_threshold_per_shard: {
    key: 'aosc.defaults.convergence_threshold',
    text: (value) => value,
  },
  max_convergence_rounds_per_shard: {
    key: 'aosc.defaults.max_convergence_rounds',
    text: (value) => value,
  },
  target_ready_timeout_seconds: {
    key: 'aosc.target.ready_timeout',
    text: (value) => `${typeof value === 'number' ? value : JSON.stringify(value)}s`,
  },
};

const exampleWindow = '{"days": ["sat"], "from": "22:00", "to": "04:00", "time_zone": "Europe/Berlin"}';

const kinds: Readonly<Record<string, string>> = {
  convergence_threshold_per_shard: 'an integer',
  max_convergence_rounds_per_shard: 'an integer',
  doc_count_tolerance: 'an integer',
  target_ready_timeout_seconds: 'an integer',
  validation_query: 'an object',
  transient_target_settings: 'an object',
  accept_data_loss_if_custom_routing_is_used: 'a boolean',
  create_alias: 'a boolean',
  fail_on_mapping_drift: 'a boolean',
  copy: 'documents, files or auto',
  merge_before_replicas: 'a boolean',
  verify: 'count or content',
  rehearse: 'a boolean',
  on_document_error: 'fail or set_aside',
  max_documents_set_aside: 'an integer from 1 to 5000',
  remove_source_write_block_on_success: 'a boolean',
  cutover: 'automatic or manual',
  cutover_not_before: 'a date and time like 2026-11-28T02:00:00Z',
  max_pause_ms: 'an integer from 100 to 3600000',
  max_cutover_attempts: 'an integer from 1 to 20',
  cutover_windows: `a list of windows like ${exampleWindow}, each with from and to`,
};

/**
 * What is wrong with an option that the schema refused: too small, too large, or of another type.
 * @param rest the way further into the option, when it is an object
 */
export function describeOptionShape(option: string, value: unknown, rest: readonly string[]): string {
  if (rest.length > 0 && option !== 'cutover_windows')
    return `options.${option}.${shorten(rest.join('.'))} must be a text, number, boolean or null`;
  if (option === 'doc_count_tolerance' && typeof value === 'number') {
    if (value < 0) return `doc_count_tolerance must be >= 0, got ${value}`;
    if (value > Number.MAX_SAFE_INTEGER) {
      return `doc_count_tolerance must be <= ${Number.MAX_SAFE_INTEGER}, got ${value}`;
    }
  }
  const setting = ownValue(settingOfOption, option);
  const said = setting && typeof value === 'number' && settingError(setting.key, setting.text(value));
  if (typeof said === 'string') return `${option} is invalid: ${said}`;
  return `${option} must be ${ownValue(kinds, option) ?? 'of another type'}, got ${quoteValue(value)}`;
}

function settingError(key: SettingKey, value: unknown): string | undefined {
  try {
    parseSetting(key, value);
    return undefined;
  } catch (error) {
    if (error instanceof AoscError) return error.message;
    throw error;
  }
}

/** Settings in one request. OpenSearch itself has some two hundred of an index. */
export const maxTransientSettings = 100;

/** What the schema can't see. `findQueryProblems` checks the query. */
export function findOptionProblems(options: MigrationOptionsWire | undefined): readonly string[] {
  const { rehearse, copy = 'documents' } = options ?? {};
  const blocks =
    rehearse === true && copy !== 'documents'
      ? [
          `copy must be documents in a rehearsal, got ${copy}: making a target of files blocks writes for a moment`,
        ]
      : [];
  return [...blocks, ...findSettingProblems(options), ...findCutoverProblems(options)];
}

function findSettingProblems(options: MigrationOptionsWire | undefined): readonly string[] {
  const settings = options?.transient_target_settings ?? {};
  return Object.keys(settings).length > maxTransientSettings
    ? [`transient_target_settings must not hold more than ${maxTransientSettings} settings`]
    : findTransientProblems(settings);
}

/** Settings the service itself drives while it migrates, or that would break the copy. */
const refusedSettings: readonly { readonly matches: RegExp; readonly why: string }[] = [
  { matches: /^index\.blocks\./, why: 'a block on the target would stop the copy' },
  { matches: /^index\.final_pipeline$/, why: 'the service switches it off while it copies and restores it' },
  { matches: /^index\.gc_deletes$/, why: 'the service sets it while it copies and restores it' },
  {
    matches:
      /^index\.(number_of_shards|number_of_routing_shards|number_of_virtual_shards|routing_partition_size|uuid|creation_date)$/,
    why: 'it is fixed when an index is created',
  },
];

/**
 * Refuses a pattern because OpenSearch takes `null` for it as the reset of every setting it matches, and the service
 * could not restore those.
 * @param settings of the request, or the cluster's default ones
 */
export function findTransientProblems(settings: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    if (!name.startsWith('index.')) {
      return [`transient_target_settings keys must start with 'index.', got '${shorten(name)}'`];
    }
    if (name === 'index.translog.durability' && String(value).toLowerCase() === 'async') {
      return [
        `transient_target_settings must not set [${name}] to [async]: ` +
          'the target could lose writes it has acknowledged',
      ];
    }
    if (name.includes('*')) {
      return [`transient_target_settings must not have a pattern [${name}]: name each setting`];
    }
    const refused = refusedSettings.find(({ matches }) => matches.test(name));
    return refused === undefined ? [] : [`transient_target_settings must not set [${name}]: ${refused.why}`];
  });
}
