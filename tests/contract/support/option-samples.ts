import { readStatus, type StatusDocument } from '@aosc/testkit';
import { cancelAndWait, expectStarted, pathOf, type Workshop } from './workshop';
import { makePair } from './indices';

type Options = StatusDocument['options'];

/** Options as the status showed them. */
export interface OptionSamples {
  /** every option at its least, as it was sent */
  readonly min: Options;
  readonly max: Options;
  /** none was sent, and the settings differed from their defaults */
  readonly fromSettings: Options;
  /** all were sent as null */
  readonly nulls: Options;
}

const sent = {
  min: {
    convergence_threshold_per_shard: 0,
    max_convergence_rounds_per_shard: 1,
    doc_count_tolerance: 0,
    validation_query: {},
    accept_data_loss_if_custom_routing_is_used: false,
    target_ready_timeout_seconds: 60,
    remove_source_write_block_on_success: false,
    transient_target_settings: {},
  },
  max: {
    convergence_threshold_per_shard: 1_000_000,
    max_convergence_rounds_per_shard: 100_000,
    doc_count_tolerance: 1_000_000_000,
    validation_query: { match_all: {} },
    accept_data_loss_if_custom_routing_is_used: true,
    target_ready_timeout_seconds: 1_000_000,
    remove_source_write_block_on_success: true,
    transient_target_settings: { 'index.refresh_interval': '30s', 'index.number_of_replicas': 0 },
  },
} as const;

/** Cluster settings while {@link OptionSamples.fromSettings} was started. */
const persistent = {
  'aosc.defaults.convergence_threshold': 11,
  'aosc.defaults.max_convergence_rounds': 22,
  'aosc.defaults.transient_target_settings': '{"index.refresh_interval":"5s"}',
  'aosc.defaults.remove_source_write_block_on_success': true,
  'aosc.target.ready_timeout': '90s',
} as const;
const transient = { 'aosc.defaults.convergence_threshold': 33 } as const;

/** Starts with options and cancels, one after the other: no backfill is permitted meanwhile. */
export async function startOptions(workshop: Workshop): Promise<OptionSamples> {
  const { environment, api } = workshop;
  const { source, target, alias } = await makePair(workshop, 'c-options', { shards: 1 }, { shards: 1 });
  const show = async (options: object): Promise<Options> => {
    expectStarted(await api('POST', pathOf(source, '_start'), { target_index: target, alias, options }));
    const status = await readStatus(environment.apiUrl, source);
    await cancelAndWait(workshop, source);
    return status.options;
  };
  const min = await show(sent.min);
  const max = await show(sent.max);
  const nulls = await show(Object.fromEntries(Object.keys(sent.min).map((name) => [name, null])));
  expect(await api('PUT', '/_cluster/settings', { persistent, transient })).toMatchObject({ status: 200 });
  const fromSettings = await show({});
  const reset = Object.fromEntries([...Object.keys(persistent)].map((name) => [name, null]));
  await api('PUT', '/_cluster/settings', { persistent: reset, transient: reset });
  return { min, max, fromSettings, nulls };
}
