import { errorLike } from '../../../apps/api/src/__tests__/error-like';
import type { Row, Rows } from '../support/contract-run';
import { pathOf } from '../support/workshop';

/** An option: its value without any setting or wish, at its ends, from the settings, and what is refused. */
interface OptionLine {
  readonly name: string;
  readonly byDefault: unknown;
  readonly min: unknown;
  readonly max: unknown;
  /** undefined: no setting has it */
  readonly fromSettings?: unknown;
  readonly refused: readonly (readonly [unknown, string])[];
}

const transientDefaults = { 'index.number_of_replicas': '0', 'index.refresh_interval': '-1' };

const lines: readonly OptionLine[] = [
  {
    name: 'convergence_threshold_per_shard',
    byDefault: 500,
    min: 0,
    max: 1_000_000,
    fromSettings: 33,
    refused: [
      [-1, 'convergence_threshold_per_shard is invalid: '],
      [1_000_001, 'must be <= 1000000'],
      ['500', 'convergence_threshold_per_shard must be an integer, got "500"'],
    ],
  },
  {
    name: 'max_convergence_rounds_per_shard',
    byDefault: 1000,
    min: 1,
    max: 100_000,
    fromSettings: 22,
    refused: [
      [0, 'max_convergence_rounds_per_shard is invalid: '],
      [100_001, 'must be <= 100000'],
      [1.5, 'max_convergence_rounds_per_shard'],
    ],
  },
  {
    name: 'doc_count_tolerance',
    byDefault: 0,
    min: 0,
    max: 1_000_000_000,
    refused: [
      [-1, 'doc_count_tolerance must be >= 0, got -1'],
      ['1', 'doc_count_tolerance must be an integer'],
    ],
  },
  {
    name: 'validation_query',
    byDefault: undefined,
    min: undefined,
    max: { match_all: {} },
    refused: [
      ['all', 'validation_query must be an object'],
      [[], 'validation_query must be an object'],
    ],
  },
  {
    name: 'accept_data_loss_if_custom_routing_is_used',
    byDefault: false,
    min: false,
    max: true,
    refused: [
      ['true', 'accept_data_loss_if_custom_routing_is_used must be a boolean'],
      [1, 'accept_data_loss_if_custom_routing_is_used must be a boolean'],
    ],
  },
  {
    name: 'target_ready_timeout_seconds',
    byDefault: 14_400,
    min: 60,
    max: 1_000_000,
    fromSettings: 90,
    refused: [
      [59, 'target_ready_timeout_seconds is invalid: '],
      [0, 'target_ready_timeout_seconds is invalid: '],
      ['60s', 'target_ready_timeout_seconds must be an integer'],
    ],
  },
  {
    name: 'remove_source_write_block_on_success',
    byDefault: false,
    min: false,
    max: true,
    fromSettings: true,
    refused: [['false', 'remove_source_write_block_on_success must be a boolean']],
  },
  {
    name: 'transient_target_settings',
    byDefault: transientDefaults,
    min: {},
    max: { 'index.refresh_interval': '30s', 'index.number_of_replicas': 0 },
    fromSettings: { 'index.refresh_interval': '5s' },
    refused: [
      [
        { number_of_replicas: '0' },
        "transient_target_settings keys must start with 'index.', got 'number_of_replicas'",
      ],
      ['{}', 'transient_target_settings must be an object'],
      [{ 'index.refresh_interval': ['1s'] }, 'transient_target_settings.index.refresh_interval must be'],
    ],
  },
];

/** Validation comes before anything is looked up, so no index is needed. */
const refusalRow = ({ name, refused }: OptionLine): Row => {
  return async ({ api }) => {
    for (const [value, phrase] of refused) {
      const body = { target_index: 'c-nowhere', alias: 'c-no-alias', options: { [name]: value } };
      expect(await api('POST', pathOf('c-nobody', '_start'), body)).toEqual(
        errorLike(400, 'action_request_validation_exception', phrase),
      );
    }
  };
};

const rowsOf = (line: OptionLine): Rows => ({
  [`options/${line.name}`]: ({ samples }) => {
    const shown = (options: Readonly<Record<string, unknown>>) => options[line.name];
    const { min, max, fromSettings, nulls } = samples.options;
    expect(shown(samples.completed.ended.options)).toEqual(line.byDefault);
    expect(shown(nulls)).toEqual(line.byDefault);
    expect(shown(min)).toEqual(line.min);
    expect(shown(max)).toEqual(line.max);
    expect(shown(fromSettings)).toEqual(line.fromSettings ?? line.byDefault);
  },
  [`options/${line.name}/refused`]: refusalRow(line),
});

const only = (...names: readonly string[]): Row => {
  return async (run) => {
    const chosen = lines.filter(({ name }) => names.includes(name));
    expect(chosen).toHaveLength(names.length);
    for (const line of chosen) {
      const { min, max } = run.samples.options;
      expect([min[line.name], max[line.name]]).toEqual([line.min, line.max]);
      await refusalRow(line)(run);
    }
  };
};

export const optionRows: Rows = {
  ...lines.reduce<Rows>((rows, line) => ({ ...rows, ...rowsOf(line) }), {}),
  'options/doc_count_tolerance/effect': ({ samples }) => {
    const { difference, refused, tolerated } = samples.counts;
    expect(refused).toMatchObject({
      phase: 'FAILED',
      options: { doc_count_tolerance: difference - 1 },
      error_message: expect.stringContaining(`diff=${difference}, tolerance=${difference - 1}`) as string,
    });
    expect(tolerated).toMatchObject({ phase: 'COMPLETED', options: { doc_count_tolerance: difference } });
  },
  'options/validation_query/effect': ({ samples }) => {
    const { difference, query, tolerated, unfiltered } = samples.counts;
    expect(tolerated.options['validation_query']).toEqual(query);
    expect(tolerated.cutover_context).toMatchObject({ source_doc_count: difference, target_doc_count: 0 });
    expect(unfiltered.cutover_context).toMatchObject({
      source_doc_count: difference,
      target_doc_count: difference,
    });
  },
  'options/validation_query/both-sides': async ({ api, samples, cluster }) => {
    const { source } = samples.cancelled;
    await cluster('PUT', '/c-strange', {
      settings: { number_of_shards: 1, number_of_replicas: 0 },
      mappings: { properties: { key: { type: 'date' } } },
    });
    const start = (validation_query: object) =>
      api('POST', pathOf(source, '_start'), {
        target_index: 'c-strange',
        alias: 'c-new',
        options: { validation_query },
      });
    const illegal = 'illegal_argument_exception';
    expect(await start({ no_such_query: {} })).toEqual(
      errorLike(400, illegal, `validation_query failed on index [${source}]: `),
    );
    // A text is no date: the query is fine on the source and not on the target.
    expect(await start({ term: { key: 'k1' } })).toEqual(
      errorLike(400, illegal, 'validation_query failed on index [c-strange]: '),
    );
  },
  'options/transient_target_settings/effect': ({ samples }) => {
    const { targetSettings, targetSettingsAfter } = samples.completed;
    expect(targetSettings).toMatchObject(transientDefaults);
    expect(targetSettingsAfter).toMatchObject({ 'index.refresh_interval': '7s' });
    expect(samples.failed.targetSettingsAfter).toMatchObject({ 'index.refresh_interval': '9s' });
  },
  'options/remove_source_write_block_on_success/effect': ({ samples }) => {
    expect(samples.merged.sourceSettingsAfter['index.blocks.write']).not.toBe('true');
    expect(samples.completed.sourceSettingsAfter['index.blocks.write']).toBe('true');
  },
  'options/resolved': ({ samples }) => {
    const names = lines.map(({ name }) => name).sort();
    expect(Object.keys(samples.options.max).sort()).toEqual(names);
    // An empty query is none, and is not shown.
    const unset = names.filter((name) => name !== 'validation_query');
    expect(Object.keys(samples.completed.ended.options).sort()).toEqual(unset);
  },
  'limits/convergence_threshold_per_shard': only('convergence_threshold_per_shard'),
  'limits/max_convergence_rounds_per_shard': only('max_convergence_rounds_per_shard'),
  'limits/doc_count_tolerance': only('doc_count_tolerance'),
  'limits/transient_target_settings': only('transient_target_settings'),
  'start/rule-3': only(
    'convergence_threshold_per_shard',
    'max_convergence_rounds_per_shard',
    'doc_count_tolerance',
    'target_ready_timeout_seconds',
    'transient_target_settings',
  ),
  'errors/option-range': only('convergence_threshold_per_shard', 'max_convergence_rounds_per_shard'),
};
