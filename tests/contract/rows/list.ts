import { errorLike } from '../../../apps/api/src/__tests__/error-like';
import { createParser } from '@aosc/contract';
import { Type } from '@sinclair/typebox';
import type { ContractRun, Row, Rows } from '../support/contract-run';
import type { Answer, CallApi } from '../support/workshop';
import { activePhases, migrationPhases, terminalPhases } from './phases';

/** Written down by hand, as every user of the contract would. */
const ItemSchema = Type.Object({
  migration_id: Type.String(),
  source_index: Type.String(),
  target_index: Type.String(),
  alias: Type.String(),
  phase: Type.String(),
  shards_by_phase: Type.Record(Type.String(), Type.Integer()),
  shard_count: Type.Integer(),
  is_terminal: Type.Boolean(),
  elapsed_seconds: Type.Integer(),
  start_time_millis: Type.Integer(),
  last_updated_millis: Type.Integer(),
});
const parseList = createParser(
  'answer of _list',
  Type.Object({
    migrations: Type.Array(ItemSchema),
    truncated: Type.Boolean(),
    active_count: Type.Integer(),
  }),
);
const read = ({ status, body }: Answer) => {
  expect(status).toBe(200);
  return parseList(body);
};
const list = async (api: CallApi, query: string) => read(await api('GET', `/_plugins/_aosc/_list${query}`));
const illegal = 'illegal_argument_exception';
const refused = async (api: CallApi, query: string, phrase: string): Promise<void> => {
  expect(await api('GET', `/_plugins/_aosc/_list${query}`)).toEqual(errorLike(400, illegal, phrase));
};

async function completedItem({ api, samples }: ContractRun) {
  const { migrations } = await list(api, '?status=COMPLETED&size=500');
  const { migration_id: id } = samples.completed.ended;
  const item = migrations.find(({ migration_id: listed }) => listed === id);
  if (item === undefined) throw new Error(`${id} is not listed`);
  return item;
}

/** A field that status and list have in common. */
const asInStatus =
  (field: 'migration_id' | 'source_index' | 'target_index' | 'alias' | 'phase'): Row =>
  async (run) =>
    expect((await completedItem(run))[field]).toBe(run.samples.completed.ended[field]);

const itemRows: Rows = {
  'list/item/migration_id': asInStatus('migration_id'),
  'list/item/source_index': asInStatus('source_index'),
  'list/item/target_index': asInStatus('target_index'),
  'list/item/alias': asInStatus('alias'),
  'list/item/phase': asInStatus('phase'),
  'list/item/shards_by_phase': async (run) => {
    expect((await completedItem(run)).shards_by_phase).toEqual({ COMPLETED: 2 });
    const pending = read(run.samples.completed.listedPending).migrations;
    const { source } = run.samples.completed;
    expect(pending.find(({ source_index: name }) => name === source)).toMatchObject({
      shards_by_phase: { PENDING: 2 },
    });
  },
  'list/item/shard_count': async (run) => expect((await completedItem(run)).shard_count).toBe(2),
  'list/item/is_terminal': async (run) => {
    expect((await completedItem(run)).is_terminal).toBe(true);
    const { migrations } = read(run.samples.completed.listedPending);
    expect(migrations.length).toBeGreaterThan(0);
    for (const item of migrations) expect(item.is_terminal).toBe(false);
  },
  'list/item/elapsed_seconds': async (run) => {
    const { ended } = run.samples.completed;
    const seconds = Math.floor((ended.last_updated_millis - ended.start_time_millis) / 1000);
    expect((await completedItem(run)).elapsed_seconds).toBe(seconds);
  },
};

export const listRows: Rows = {
  ...itemRows,
  'list/status': async ({ api }) => {
    const all = await list(api, '?size=500');
    const counts = await Promise.all(
      migrationPhases.map(async (phase) => {
        // The word ACTIVE stands for all that have not ended.
        const { migrations } = await list(api, `?status=${phase}&size=500`);
        for (const item of migrations) if (phase !== 'ACTIVE') expect(item.phase).toBe(phase);
        return phase === 'ACTIVE' ? 0 : migrations.length;
      }),
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(all.migrations.length);
    const some = await list(api, '?status=%20failed%20,Cancelled&size=500');
    expect(new Set(some.migrations.map(({ phase }) => phase))).toEqual(new Set(['FAILED', 'CANCELLED']));
    expect((await list(api, '?status=all&size=500')).migrations).toEqual(all.migrations);
  },
  'list/status/refused': async ({ api }) => {
    await refused(api, '?status=', 'status must not be blank');
    await refused(api, '?status=FAILED,,ACTIVE', "status contains an empty token: 'FAILED,,ACTIVE'");
    await refused(api, '?status=RUNNING', "unknown status: 'RUNNING'. Expected one of: all, ACTIVE, [");
    await refused(api, '?status=all,FAILED', "unknown status: 'all'");
  },
  'list/size': async ({ api }) => {
    expect((await list(api, '?size=2')).migrations).toHaveLength(2);
    const { body } = await api('GET', '/openapi.json');
    const size = expect.objectContaining({
      name: 'size',
      schema: expect.objectContaining({ default: 50, minimum: 1 }) as unknown,
    }) as unknown;
    expect(body).toMatchObject({
      paths: { '/_plugins/_aosc/_list': { get: { parameters: expect.arrayContaining([size]) as unknown } } },
    });
  },
  'list/size/refused': async ({ api }) => {
    await refused(api, '?size=0', 'size must be > 0, got: 0');
    await refused(api, '?size=-1', 'size must be > 0, got: -1');
    await refused(api, '?size=ten', 'Failed to parse int parameter [size] with value [ten]');
  },
  'limits/list-size': async ({ api }) => {
    for (const size of [500, 501, 2_000_000_000]) {
      expect((await list(api, `?size=${size}`)).truncated).toBe(false);
    }
  },
  'list/answer/migrations': async ({ api, samples }) => {
    const { migrations } = await list(api, '?size=500');
    const ids = migrations.map(({ migration_id: id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { ended } of [samples.completed, samples.merged, samples.failed, samples.cancelled]) {
      expect(ids).toContain(ended.migration_id);
    }
  },
  'list/answer/truncated': async ({ api }) => {
    const { migrations } = await list(api, '?size=500');
    expect(await list(api, `?size=${migrations.length}`)).toMatchObject({ truncated: false });
    expect(await list(api, `?size=${migrations.length - 1}`)).toMatchObject({ truncated: true });
  },
  'list/answer/active_count': async ({ api, samples }) => {
    const pending = read(samples.completed.listedPending);
    expect(pending.active_count).toBe(pending.migrations.length);
    expect(pending.active_count).toBeGreaterThan(0);
    expect((await list(api, '?status=FAILED')).active_count).toBe(0);
  },
  'states/active-token': ({ samples }) => {
    const inPhase = (answer: Answer, source: string) =>
      read(answer).migrations.find(({ source_index: name }) => name === source)?.phase;
    const { source, listedPending, listedHeld } = samples.completed;
    expect(inPhase(listedPending, source)).toBe('ACTIVE');
    expect(activePhases).toContain(inPhase(listedHeld, source));
    for (const { phase } of read(listedPending).migrations) expect(activePhases).toContain(phase);
  },
  'states/terminal': async ({ api }) => {
    for (const { phase, is_terminal: ended } of (await list(api, '?size=500')).migrations) {
      expect({ phase, ended }).toEqual({ phase, ended: terminalPhases.includes(phase) });
    }
    expect((await list(api, '?status=ACTIVE')).migrations).toEqual([]);
  },
  'decided/list-order': async ({ api }) => {
    const { migrations } = await list(api, '?size=500');
    const starts = migrations.map(({ start_time_millis: start }) => start);
    expect(starts.length).toBeGreaterThan(10);
    expect(starts).toEqual([...starts].sort((a, b) => b - a));
  },
};
