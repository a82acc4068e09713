import { randomUUID } from 'node:crypto';
import { addTimelinePoint, noTimelinePoints } from '@aosc/domain';
import type { Stack } from '@aosc/local-stack';
import { migrationKey } from '@aosc/store';
import { borrowStack } from '@aosc/testkit';
import { type ApiUnderTest, errorLike, startApi } from './__tests__/api-under-test';

jest.setTimeout(600_000);

let stack: Stack | undefined;
let aosc: ApiUnderTest;
const prefix = `b-${randomUUID()}`;
const [source, target] = [`${prefix}-source`, `${prefix}-target`];

beforeAll(async () => {
  stack = await borrowStack();
  aosc = await startApi({ openSearch: stack.openSearchUrls.join(','), redis: stack.redisUrl });
  await aosc.store.ensureIndex(aosc.call);
  const settings = { number_of_shards: 1, number_of_replicas: 0 };
  for (const name of [source, target]) await aosc.cluster('PUT', `/${name}`, { settings });
});
afterAll(async () => {
  if (stack !== undefined) {
    await aosc.forgetMigrations();
    await aosc.close();
  }
  await stack?.stop();
});

describe('_preview_transform', () => {
  const preview = (script: object, from = source) =>
    aosc.api('POST', `/_plugins/_aosc/${from}/_preview_transform`, { transform_script: script });
  const inline = (text: string) => ({ type: 'inline', source: text });

  test('without documents says that the script compiles, or why not', async () => {
    expect(await preview(inline('ctx._source.a = 1'))).toEqual({ status: 200, body: { documents: [] } });
    expect(await preview(inline('no painless'))).toEqual(
      errorLike(400, 'illegal_argument_exception', "can't be compiled or run"),
    );
  });

  test('shows documents before and after, and writes nothing', async () => {
    await aosc.cluster('PUT', `/${source}/_doc/7?refresh=true`, { n: 1 });
    const { status, body } = await preview(inline('ctx._source.n += 1'));
    expect(status).toBe(200);
    expect(body).toEqual({
      documents: [
        {
          before: { id: '7', source: '{"n":1}', is_part: false },
          after: { id: '7', source: '{"n":2}', is_part: false },
        },
      ],
    });
    expect(await aosc.cluster('GET', `/${source}/_doc/7`)).toMatchObject({ _source: { n: 1 }, _version: 1 });
    const failed = await preview(inline('ctx._source.n.nothing()'));
    expect(failed).toMatchObject({
      status: 200,
      body: { documents: [{ before: { id: '7' }, failure: { type: 'script_exception' } }] },
    });
  });

  test('of what is no index, and without a script, is refused', async () => {
    expect(await preview(inline('return;'), `${prefix}-nobody`)).toEqual(
      errorLike(400, 'illegal_argument_exception', 'not found'),
    );
    const empty = await aosc.api('POST', `/_plugins/_aosc/${source}/_preview_transform`, {});
    expect(empty).toEqual(errorLike(400, 'action_request_validation_exception', 'transform_script'));
  });
});

describe('_timeline', () => {
  test('is there as soon as the migration is, and shows the moments that were kept', async () => {
    const path = `/_plugins/_aosc/${source}/_timeline`;
    expect(await aosc.api('GET', path)).toEqual(
      errorLike(404, 'resource_not_found_exception', 'No migration found'),
    );
    const body = { target_index: target, alias: `${prefix}-alias`, options: { create_alias: true } };
    const started = await aosc.api('POST', `/_plugins/_aosc/${source}/_start`, body);
    const { migration_id: id } = started.body as { migration_id: string };
    expect(await aosc.api('GET', path)).toMatchObject({ status: 200, body: { points: { at_millis: [] } } });
    const point = {
      atMillis: 5,
      phase: 'ACTIVE',
      documentsIndexed: 1,
      documentsPerSecond: 2,
      bytesPerSecond: 3,
      gap: null,
      batchBytes: 4,
      concurrency: 5,
      pauses: 6,
      bulkLatencyMs: 7,
    } as const;
    const key = migrationKey(id);
    const record = {
      kind: 'timeline',
      schemaVersion: 1,
      key,
      points: addTimelinePoint(noTimelinePoints, point),
    } as const;
    await aosc.store.replaceTimeline(undefined, record, aosc.call);
    expect(await aosc.api('GET', path)).toMatchObject({
      status: 200,
      body: { migration_id: id, points: { at_millis: [5], gap: [null], pauses: [6], bulk_latency_ms: [7] } },
    });
    const stored = await aosc.store.readTimeline(key, aosc.call);
    const points = addTimelinePoint(record.points, { ...point, atMillis: 6, gap: 7 });
    await aosc.store.replaceTimeline(stored, { ...record, points }, aosc.call);
    await expect(aosc.store.replaceTimeline(stored, record, aosc.call)).rejects.toMatchObject({
      kind: 'conflict',
    });
    expect(await aosc.api('GET', path)).toMatchObject({ body: { points: { gap: [null, 7] } } });
    // It is no migration, and no shard, so searches for those do not find it.
    expect(await aosc.api('GET', '/_plugins/_aosc/_list')).toMatchObject({
      body: { active_count: 1, migrations: [{ migration_id: id, shard_count: 1 }] },
    });
  });
});
