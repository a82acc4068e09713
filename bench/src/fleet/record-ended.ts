import { migrationRecordId, shardRecordId } from '@aosc/domain';
import { callJson, callRaw, type HttpClient } from '@aosc/testkit';
import { createHash } from 'node:crypto';
import { readField } from '../fields';

const records = '.aosc-migrations';
const bulkRecords = 1_000;
const mostShards = 1_000;

interface Found {
  readonly id: string;
  readonly record: Readonly<Record<string, unknown>>;
}

/**
 * Records so many more migrations that have ended as a copy of the newest one that has, with its shards. They differ in
 * their ids and in the time at which they began, which lies before it.
 */
export async function recordEnded(http: HttpClient, count: number): Promise<void> {
  await callRaw(http, { method: 'POST', path: `/${records}/_refresh` });
  const [migration] = await find(http, { term: { kind: 'migration' } }, 1);
  if (migration === undefined) throw new Error('no migration is recorded that could be copied');
  const key = migration.record['key'];
  if (typeof key !== 'string') throw new Error('a record without a key');
  const shards = await find(
    http,
    { bool: { filter: [{ term: { kind: 'shard' } }, { term: { key } }] } },
    mostShards,
  );
  let lines: string[] = [];
  for (let n = 0; n < count; n += 1) {
    for (const each of copyOf(n, migration, shards)) {
      lines.push(JSON.stringify({ index: { _id: each.id } }), JSON.stringify(each.record));
    }
    if (lines.length < 2 * bulkRecords && n < count - 1) continue;
    await callRaw(http, { method: 'POST', path: `/${records}/_bulk`, body: `${lines.join('\n')}\n` });
    lines = [];
  }
  await callRaw(http, { method: 'POST', path: `/${records}/_refresh` });
}

/** The nth copy: the migration's record and those of its shards. */
export function copyOf(n: number, migration: Found, shards: readonly Found[]): readonly Found[] {
  const { migration_id: migrationId, start_time_millis: startTimeMillis } = migration.record;
  const key = createHash('sha256').update(`ended-${n}`).digest('hex').slice(0, 20);
  const begun = Number(startTimeMillis) - (n + 1) * 1000;
  return [
    {
      id: migrationRecordId(key),
      record: {
        ...migration.record,
        key,
        migration_id: `${String(migrationId)}-${n}`,
        start_time_millis: begun,
        guard_until_millis: begun,
      },
    },
    ...shards.map(({ record }) => ({
      id: shardRecordId(key, Number(record['shard'])),
      record: { ...record, key },
    })),
  ];
}

async function find(http: HttpClient, query: object, size: number): Promise<readonly Found[]> {
  const read = (answer: unknown): readonly Found[] => {
    const hits = readField(readField(answer, 'hits'), 'hits');
    if (!Array.isArray(hits)) throw new Error('a search without hits');
    return hits.map((hit: unknown) => {
      const record = readField(hit, '_source');
      if (typeof record !== 'object' || record === null) throw new Error('a hit without a record');
      return { id: String(readField(hit, '_id')), record: { ...record } };
    });
  };
  const body = { query, size, sort: [{ start_time_millis: { order: 'desc', unmapped_type: 'long' } }] };
  return callJson(http, read, 'POST', `/${records}/_search`, body);
}
