import { errorLike } from '../../../apps/api/src/__tests__/error-like';
import type { Rows } from '../support/contract-run';
import { pathOf } from '../support/workshop';

const unknown = 'resource_not_found_exception';

export const statusAndCancelRows: Rows = {
  'status/record': async ({ api, samples }) => {
    const { source, ended } = samples.completed;
    expect(await api('GET', pathOf(source, '_status'))).toEqual({ status: 200, body: ended });
  },
  'status/newest': async ({ api, samples }) => {
    const { source, ended, second } = samples.cancelled;
    const { body } = await api('GET', pathOf(source, '_status'));
    expect(body).toMatchObject({ migration_id: second.migration_id });
    expect(second.migration_id).not.toBe(ended.migration_id);
  },
  'status/not-found': async ({ api, samples }) => {
    // The name of a target, or of an alias, is not that of a source.
    for (const index of ['c-nobody', samples.completed.target, samples.completed.alias]) {
      expect(await api('GET', pathOf(index, '_status'))).toEqual(
        errorLike(404, unknown, `No migration found for index [${index}]`),
      );
    }
  },
  'status/stored': async ({ api, cluster, samples }) => {
    const { source, ended } = samples.completed;
    const body = { query: { term: { migration_id: ended.migration_id } } };
    const answer = await cluster('POST', '/.aosc-migrations/_search', body);
    expect(answer).toMatchObject({
      hits: {
        hits: expect.arrayContaining([
          expect.objectContaining({
            _source: expect.objectContaining({ source_index: source, phase: 'COMPLETED' }) as unknown,
          }),
        ]) as unknown,
      },
    });
    expect((await api('GET', pathOf(source, '_status'))).body).toEqual(ended);
  },
  'cancel/accepted': ({ samples }) => {
    expect(samples.cancelled.cancels[0]).toMatchObject({ status: 200, body: { accepted: true } });
  },
  'cancel/phase': ({ samples }) => {
    const [first] = samples.cancelled.cancels;
    expect(first.body).toEqual({ accepted: true, phase: 'CANCELLING' });
  },
  'cancel/twice': ({ samples }) => {
    const [, second] = samples.cancelled.cancels;
    expect(second).toMatchObject({ status: 200, body: { accepted: true } });
  },
  'cancel/end': ({ samples }) => {
    expect(samples.cancelled.ended.phase).toBe('CANCELLED');
    expect(samples.cancelled.ended.transition_history?.map(({ phase }) => phase)).toEqual([
      'ACTIVE',
      'CANCELLING',
      'CANCELLED',
    ]);
  },
  'cancel/parameters': async ({ api }) => {
    expect(await api('POST', `${pathOf('c-nobody', '_cancel')}?force=true`)).toEqual(
      errorLike(400, 'illegal_argument_exception', 'unrecognized parameter: [force]'),
    );
  },
};
