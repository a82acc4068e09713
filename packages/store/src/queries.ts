import {
  createParser,
  type MigrationPhase,
  type MigrationRecord,
  migrationPhases,
  type ShardPhase,
  shardPhases,
} from '@aosc/contract';
import { isTerminalPhase } from '@aosc/domain';
import type { Call, Stored } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import type { Claims } from './claims';
import type { DocumentIndex, StoredDocument } from './document-index';
import { documentIds } from './keys';
import { kindOf, migrationCodec, runningCodec, runningFields, type RunningMigration } from './record-codec';

export type ShardPhaseCounts = Readonly<Partial<Record<ShardPhase, number>>>;

export interface MigrationListing {
  /** newest first */
  readonly migrations: readonly MigrationRecord[];
  /** how many shards of each listed migration are in which phase, by the migration's key */
  readonly shardPhases: ReadonlyMap<string, ShardPhaseCounts>;
  /** more migrations match than are listed */
  readonly truncated: boolean;
  /** migrations that have not ended, listed or not */
  readonly activeCount: number;
}

/** Which migrations to list. A field that is left out does not restrict. */
export interface MigrationFilter {
  readonly phases?: readonly MigrationPhase[] | undefined;
  readonly sourceIndex?: string | undefined;
  readonly size: number;
}

/** Called for a record that can't be read and was skipped. */
export type OnUnreadable = (id: string, error: unknown) => void;

/** Migrations that one tick of the scheduler looks at. */
const maxActive = 1_000;
const activePhases = migrationPhases.filter((phase) => !isTerminalPhase(phase));

const parseKey = createParser('migration key', Type.Object({ key: Type.String() }));
const parsePhaseCounts = createParser(
  'counts of shards by phase',
  Type.Object({
    by_key: Type.Object({
      buckets: Type.Array(
        Type.Object({
          key: Type.String(),
          by_phase: Type.Object({
            buckets: Type.Array(
              Type.Object({
                key: Type.Unsafe<ShardPhase>({ type: 'string', enum: [...shardPhases] }),
                doc_count: Type.Integer(),
              }),
            ),
          }),
        }),
      ),
    }),
  }),
);

const migrationsOnly = { term: { kind: 'migration' } };
const running = [migrationsOnly, { terms: { phase: activePhases } }];
const newestFirst = [{ start_time_millis: 'desc' }];
/** A record has a guard time from its end on: beyond `maxActive`, ended migrations are left out before running ones. */
const runningFirst = [
  { guard_until_millis: { order: 'asc', missing: '_first' } },
  { start_time_millis: 'asc' },
];

/** @returns the stored migration in a document; undefined for a tombstone, which stands for an abandoned start */
export function readMigrationDocument(
  document: StoredDocument | undefined,
): Stored<MigrationRecord> | undefined {
  if (document === undefined || kindOf(document) === 'abandoned') return undefined;
  return migrationCodec.read(document);
}

const idOf = ({ record }: StoredDocument): string => documentIds.migration(parseKey(record).key);

/**
 * Queries by search. They see a migration's new phase at once, because its write refreshes the index. Under the write
 * block it does not: a search then shows the phase within a second.
 */
// eslint-disable-next-line max-lines-per-function -- one closure: each function is one query
export function createQueries(
  index: DocumentIndex,
  claims: Claims,
  now: () => number,
  onUnreadable: OnUnreadable,
) {
  /** A record of a newer version, or a damaged one, must not hide the others. */
  function readable<D, R>(document: D, read: (document: D) => R | undefined, id: string): readonly R[] {
    try {
      const stored = read(document);
      return stored === undefined ? [] : [stored];
    } catch (error) {
      onUnreadable(id, error);
      return [];
    }
  }

  /** The running migration of a source, or else its newest. The claim is read in real time. */
  async function findBySource(source: string, call: Call): Promise<Stored<MigrationRecord> | undefined> {
    const claim = await claims.read('source', source, call);
    const claimed =
      claim && readMigrationDocument(await index.get(documentIds.migration(claim.record.key), call));
    if (claimed !== undefined) return claimed;
    const query = { bool: { filter: [migrationsOnly, { term: { source_index: source } }] } };
    const { documents } = await index.search({ query, sort: newestFirst, size: 1 }, call);
    const [newest] = documents;
    if (newest === undefined) return undefined;
    const { key } = parseKey(newest.record);
    return readMigrationDocument(await index.get(documentIds.migration(key), call));
  }

  async function list(filter: MigrationFilter, call: Call): Promise<MigrationListing> {
    const { phases, sourceIndex } = filter;
    const wanted = [
      ...(phases === undefined ? [] : [{ terms: { phase: phases } }]),
      ...(sourceIndex === undefined ? [] : [{ term: { source_index: sourceIndex } }]),
    ];
    const count = (conditions: readonly object[], page: object) =>
      index.search({ query: { bool: { filter: conditions } }, ...page, track_total_hits: true }, call);
    const [found, active] = await Promise.all([
      count([migrationsOnly, ...wanted], { sort: newestFirst, size: filter.size }),
      count(running, { size: 0 }),
    ]);
    const migrations = found.documents.flatMap((document) =>
      readable(document, (each) => migrationCodec.read(each).record, idOf(document)),
    );
    return {
      migrations,
      shardPhases: await countShards(migrations, call),
      truncated: found.total > found.documents.length,
      activeCount: active.total,
    };
  }

  async function countShards(
    migrations: readonly MigrationRecord[],
    call: Call,
  ): Promise<ReadonlyMap<string, ShardPhaseCounts>> {
    if (migrations.length === 0) return new Map();
    const keys = migrations.map(({ key }) => key);
    const { aggregations } = await index.search(
      {
        query: { bool: { filter: [{ term: { kind: 'shard' } }, { terms: { key: keys } }] } },
        size: 0,
        aggs: {
          by_key: {
            terms: { field: 'key', size: keys.length },
            aggs: { by_phase: { terms: { field: 'phase', size: shardPhases.length } } },
          },
        },
      },
      call,
    );
    return new Map(
      parsePhaseCounts(aggregations).by_key.buckets.map(({ key, by_phase }) => [
        key,
        Object.fromEntries(by_phase.buckets.map((bucket) => [bucket.key, bucket.doc_count])),
      ]),
    );
  }

  async function findFirst(
    query: object,
    fields: readonly string[],
    call: Call,
  ): Promise<readonly StoredDocument[]> {
    const body = { query, sort: runningFirst, size: maxActive, _source: fields };
    return (await index.search(body, call)).documents;
  }

  /** Finds ids only: a search shows the last refresh, so the caller reads the records themselves in real time. */
  async function findIds(query: object, call: Call): Promise<readonly string[]> {
    return (await findFirst(query, ['key'], call)).map(idOf);
  }

  /**
   * Migrations that have not ended, oldest first, and then ended migrations that the scheduler still looks after (until
   * their guard time), in real time.
   */
  async function listActive(call: Call): Promise<readonly Stored<MigrationRecord>[]> {
    const guarded = { range: { guard_until_millis: { gte: now() } } };
    const should = [{ terms: { phase: activePhases } }, guarded];
    const query = { bool: { filter: [migrationsOnly], should, minimum_should_match: 1 } };
    const ids = await findIds(query, call);
    const current = await index.getMany(ids, call);
    return current.flatMap((document, at) => readable(document, readMigrationDocument, ids[at] ?? '?'));
  }

  /** Migrations that have not ended as of the last refresh, oldest first. */
  async function listRunning(call: Call): Promise<readonly RunningMigration[]> {
    const found = await findFirst({ bool: { filter: running } }, runningFields, call);
    return found.flatMap((document) =>
      readable(document, (each) => runningCodec.read(each).record, idOf(document)),
    );
  }

  /** Migrations that have not ended and have one of the indices as source or target, with or without a claim. */
  async function findActiveUsing(
    names: readonly string[],
    call: Call,
  ): Promise<readonly Stored<MigrationRecord>[]> {
    const using = [{ terms: { source_index: names } }, { terms: { target_index: names } }];
    const ids = await findIds({ bool: { filter: running, should: using, minimum_should_match: 1 } }, call);
    const current = await index.getMany(ids, call);
    return current
      .map(readMigrationDocument)
      .filter((stored) => stored !== undefined)
      .filter(({ record }) => !isTerminalPhase(record.phase));
  }

  /** The running migration that has this index as its source or target. */
  async function findUsing(indexName: string, call: Call): Promise<MigrationRecord | undefined> {
    for (const role of ['source', 'target'] as const) {
      const claim = await claims.read(role, indexName, call);
      if (claim === undefined || !(await claims.isHeld(claim.record, call))) continue;
      const document = await index.get(documentIds.migration(claim.record.key), call);
      const migration = readMigrationDocument(document);
      if (migration !== undefined) return migration.record;
    }
    // A migration also runs without its claims, if an operator has deleted them.
    return (await findActiveUsing([indexName], call))[0]?.record;
  }

  /** Keys of migrations whose verification runs. */
  async function listVerifying(call: Call): Promise<readonly string[]> {
    const query = { bool: { filter: [{ term: { kind: 'verification' } }, { term: { phase: 'running' } }] } };
    const { documents } = await index.search({ query, size: maxActive, _source: ['key'] }, call);
    return documents.map(({ record }) => parseKey(record).key);
  }

  return { findBySource, findActiveUsing, findUsing, list, listActive, listRunning, listVerifying };
}
export type Queries = ReturnType<typeof createQueries>;
