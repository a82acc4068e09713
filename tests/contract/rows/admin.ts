import { errorLike } from '../../../apps/api/src/__tests__/error-like';
import type { Rows } from '../support/contract-run';
import type { CallApi } from '../support/workshop';

const illegal = 'illegal_argument_exception';
const admin = '/_plugins/_aosc/_admin';
const leases = (api: CallApi, query = '') => api('POST', `${admin}/_cleanup_leases${query}`);
const clear = (api: CallApi, query = '') => api('POST', `${admin}/_clear_state${query}`);

export const adminRows: Rows = {
  'cleanup-leases/index': async ({ api, samples }) => {
    expect(await leases(api, '?index=')).toEqual(
      errorLike(400, illegal, '[index] query parameter must not be empty'),
    );
    for (const query of ['', `?index=${samples.completed.source}`, '?index=c-nobody']) {
      expect(await leases(api, query)).toMatchObject({ status: 200, body: { leases: [], released: 0 } });
    }
  },
  'cleanup-leases/dry_run': async ({ api }) => {
    expect(await leases(api)).toMatchObject({ status: 200, body: { dry_run: true } });
    expect(await leases(api, '?dry_run')).toMatchObject({ status: 200, body: { dry_run: true } });
    expect(await leases(api, '?dry_run=false')).toMatchObject({ status: 200, body: { dry_run: false } });
    expect(await leases(api, '?dry_run=no')).toEqual(
      errorLike(400, illegal, 'Failed to parse value [no] of parameter [dry_run]'),
    );
  },
  'cleanup-leases/answer': async ({ api }) => {
    expect(await leases(api)).toEqual({
      status: 200,
      body: { dry_run: true, leases: [], released: 0, failed: 0, truncated: false },
    });
  },
  'clear-state/dry_run': async ({ api }) => {
    expect(await clear(api)).toMatchObject({ status: 200, body: { dry_run: true } });
    expect(await clear(api, '?dry_run=false&migration_id=nobody')).toMatchObject({
      status: 200,
      body: { dry_run: false },
    });
    expect(await clear(api, '?dry_run=1')).toEqual(errorLike(400, illegal, 'of parameter [dry_run]'));
  },
  'clear-state/try_close': async ({ api }) => {
    expect(await clear(api)).toMatchObject({ status: 200, body: { try_close: true } });
    expect(await clear(api, '?try_close=false')).toMatchObject({ status: 200, body: { try_close: false } });
    expect(await clear(api, '?try_close=0')).toEqual(errorLike(400, illegal, 'of parameter [try_close]'));
  },
  'clear-state/migration_id': async ({ api, samples }) => {
    const { migration_id: id, source_index: source } = samples.completed.ended;
    expect(await clear(api, `?migration_id=${id}`)).toMatchObject({
      status: 200,
      body: { migrations: { [id]: { source_index: source, phase: 'COMPLETED', closed: false } } },
    });
    // Left out: all that run or hold something, and here none does.
    expect((await clear(api)).body).toHaveProperty('migrations', {});
    expect((await clear(api, '?migration_id=nobody')).body).toHaveProperty('migrations', {});
    expect(await clear(api, '?migration_id=')).toEqual(
      errorLike(400, illegal, 'migration_id must not be empty'),
    );
  },
  'clear-state/detailed': async ({ api, samples }) => {
    const { migration_id: id } = samples.completed.ended;
    const brief = await clear(api, `?migration_id=${id}`);
    expect(brief.body).toHaveProperty(['migrations', id, 'closed'], false);
    expect(brief.body).not.toHaveProperty(['migrations', id, 'entry']);
    const detailed = await clear(api, `?migration_id=${id}&detailed=true`);
    expect(detailed.body).toHaveProperty(['migrations', id, 'entry', 'migration_id'], id);
    expect(detailed.body).toHaveProperty(['migrations', id, 'entry', 'routing_mode'], 'SPLIT_SHARD');
  },
  'clear-state/answer': async ({ api, samples }) => {
    const { migration_id: id, source_index: source } = samples.failed.ended;
    expect(await clear(api, `?migration_id=${id}&dry_run=true`)).toEqual({
      status: 200,
      body: {
        dry_run: true,
        try_close: true,
        migrations: {
          [id]: {
            source_index: source,
            phase: 'FAILED',
            cluster_state: 'not_found',
            active_migrations: 'not_found',
            closed: false,
          },
        },
      },
    });
  },
  'admin/unknown-parameter': async ({ api }) => {
    expect(await leases(api, '?dryrun=false')).toEqual(
      errorLike(400, illegal, 'unrecognized parameter: [dryrun] -> did you mean [dry_run]?'),
    );
    expect(await clear(api, '?migration=x')).toEqual(
      errorLike(400, illegal, 'unrecognized parameter: [migration]'),
    );
  },
};
