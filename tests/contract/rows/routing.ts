import { errorLike } from '../../../apps/api/src/__tests__/error-like';
import type { ContractRun, Rows } from '../support/contract-run';
import { pathOf } from '../support/workshop';
import type { ModeSample } from '../support/mode-samples';

const illegal = 'illegal_argument_exception';
const state = 'illegal_state_exception';

function modeOf({ samples }: ContractRun, from: number, to: number): ModeSample {
  const found = samples.modes.find((sample) => sample.from === from && sample.to === to);
  if (found === undefined) throw new Error(`no sample of ${from} -> ${to}`);
  return found;
}

/** Such a start is accepted as it is. */
const plainly = (run: ContractRun, from: number, to: number, mode: string): void => {
  const sample = modeOf(run, from, to);
  expect(sample.plain).toEqual({
    status: 200,
    body: { migration_id: expect.any(String) as string, accepted: true },
  });
  expect(sample.mode).toBe(mode);
};

/** Such a start is refused, and accepted with the option. */
const withConsent = (run: ContractRun, from: number, to: number, opening: string): void => {
  const { plain, consenting, mode } = modeOf(run, from, to);
  expect(plain).toEqual(
    errorLike(
      400,
      illegal,
      `${opening} cannot safely preserve documents with custom routing. ` +
        'Set options.accept_data_loss_if_custom_routing_is_used=true to proceed.',
    ),
  );
  expect(consenting?.status).toBe(200);
  expect(mode).toBe('BULK_API');
};

export const routingRows: Rows = {
  'routing/same-shard': (run) => {
    plainly(run, 2, 2, 'SAME_SHARD');
    plainly(run, 3, 3, 'SAME_SHARD');
  },
  'routing/split-shard': (run) => {
    plainly(run, 1, 4, 'SPLIT_SHARD');
    plainly(run, 2, 4, 'SPLIT_SHARD');
    plainly(run, 2, 8, 'SPLIT_SHARD');
    expect(run.samples.completed.ended).toMatchObject({
      phase: 'COMPLETED',
      shard_routing_mode: 'SPLIT_SHARD',
    });
  },
  'routing/bulk-api': (run) => {
    withConsent(run, 4, 2, 'Shrinking from 4 to 2 shards');
    withConsent(run, 2, 3, 'Non-multiple shard migration (2 → 3 shards)');
    withConsent(run, 2, 6, 'Non-multiple shard migration (2 → 6 shards)');
    withConsent(run, 1, 3, 'Non-multiple shard migration (1 → 3 shards)');
    expect(run.samples.merged.ended).toMatchObject({ phase: 'COMPLETED', shard_routing_mode: 'BULK_API' });
  },
  'routing/rule-1': (run) => {
    const { plain, consenting, mode } = modeOf(run, 4, 8);
    const refusal = errorLike(
      400,
      state,
      'recreate the target index with index.number_of_routing_shards=1024',
    );
    expect(plain).toEqual(refusal);
    expect(mode).toBeUndefined();
    expect(consenting).toEqual(refusal);
  },
  'routing/rule-1/exempt': (run) => {
    plainly(run, 1, 4, 'SPLIT_SHARD');
    withConsent(run, 4, 1, 'Shrinking from 4 to 1 shards');
    withConsent(run, 2, 5, 'Non-multiple shard migration (2 → 5 shards)');
  },
  'routing/rule-2': async ({ api, cluster, samples }) => {
    const name = 'index.number_of_routing_shards';
    const { target } = samples.cancelled;
    await expect(cluster('PUT', `/${target}/_settings`, { [name]: 8 })).rejects.toThrow('400');
    const options = { transient_target_settings: { [name]: 8 } };
    expect(
      await api('POST', pathOf('c-nobody', '_start'), { target_index: 't', alias: 'a', options }),
    ).toEqual(
      errorLike(
        400,
        'action_request_validation_exception',
        `transient_target_settings must not set [${name}]: it is fixed when an index is created`,
      ),
    );
  },
  'routing/rule-3': (run) => {
    // The very option does not help where the rings differ.
    expect(modeOf(run, 4, 8).consenting).toEqual(
      errorLike(400, state, 'have different [index.number_of_routing'),
    );
  },
};
