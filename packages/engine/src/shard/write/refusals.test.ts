import type { MigrationRecord, SetAsideDocument, ShardRecord, Snapshot } from '@aosc/contract';
import type { DocumentHead, DocumentKey, RawDocument } from '../../ports/documents';
import type { KeptDocument } from '../../ports/store-port';
import type { RecordChange } from '../session/owned-record';
import type { ShardSession } from '../session/shard-session';
import { type RefusedDocument, Refusals } from './refusals';

const snapshot = { pitId: 'p' } as Snapshot;

function refuse(id: string, version = '1', routing?: string): RefusedDocument {
  const document: RawDocument = {
    idToken: JSON.stringify(id),
    routingToken: routing === undefined ? undefined : JSON.stringify(routing),
    version,
    source: Buffer.from('{}'),
    size: 2,
  };
  return { document, type: 'mapper_parsing_exception', reason: `no in document with id '${id}'` };
}

/** A session of a shard whose snapshot shows each document at the number that its version says. */
function createSession(options: Partial<MigrationRecord['options']>, setAside?: readonly SetAsideDocument[]) {
  const steps: string[] = [];
  const changes = new Set<RecordChange>();
  let heads: readonly DocumentHead[] = [];
  const parts: unknown = {
    record: { ...(setAside && { setAside }) },
    epoch: 1,
    signal: new AbortController().signal,
    assertOwned: () => undefined,
    pauses: { pass: () => Promise.resolve() },
    pacing: { controller: { limits: () => ({ ticket: 1 }), observeRead: () => undefined } },
    defer: (change: RecordChange) => {
      steps.push('defer');
      changes.add(change);
    },
    context: {
      shard: 0,
      migration: { key: 'k', options },
      log: { warn: () => undefined },
      timing: { snapshotKeepAliveMs: 1000 },
      source: {
        snapshots: {
          readHeads: () => Promise.resolve({ documents: heads, bytes: 1, next: undefined }),
        },
      },
      refused: {
        keep: (_key: string, _shard: number, documents: readonly KeptDocument[]) => {
          steps.push(`keep ${documents.map(({ entry }) => `${entry.id}@${entry.seqNo}`).join()}`);
          return Promise.resolve();
        },
        forget: (_key: string, _shard: number, entries: readonly SetAsideDocument[]) => {
          steps.push(`forget ${entries.map(({ id, seqNo }) => `${id}@${seqNo}`).join()}`);
          return Promise.resolve();
        },
      },
    },
  };
  const session = parts as ShardSession;
  const refusals = new Refusals(session);
  return {
    refusals,
    steps,
    take: (...refused: readonly RefusedDocument[]) => {
      heads = refused.map(({ document: { idToken, routingToken, version } }) => ({
        id: JSON.parse(idToken) as string,
        routing: routingToken === undefined ? undefined : (JSON.parse(routingToken) as string),
        version,
        seqNo: Number(version) * 10,
        primaryTerm: 1,
      }));
      return refusals.take(refused, snapshot, (keys: readonly DocumentKey[]) => {
        steps.push(`remove ${keys.map(({ id }) => id).join()}`);
        return Promise.resolve();
      });
    },
    recorded: () => {
      let record = { setAside } as ShardRecord;
      for (const change of changes) record = change(record);
      return record.setAside;
    },
  };
}

const asides = { onDocumentError: 'set_aside' } as const;
const key = (id: string, routing?: string): DocumentKey => ({ id, routing });

test('the bytes are acknowledged before the record names the entry; then older versions leave the target', async () => {
  const { take, steps, recorded, refusals } = createSession(asides);
  await take(refuse('a'), refuse('b', '2', 'r'));
  expect(steps).toEqual(['keep a@10,b@20', 'defer', 'remove a,b']);
  const common = { type: 'mapper_parsing_exception', reason: 'no' };
  expect(recorded()).toEqual([
    { id: 'a', version: '1', seqNo: 10, ...common },
    { id: 'b', routing: 'r', version: '2', seqNo: 20, ...common },
  ]);
  expect(() => refusals.assertNone()).not.toThrow();
});

test('refused again: nothing is twice there; in a newer version the entry is the newer one', async () => {
  const { take, steps, recorded } = createSession(asides);
  await take(refuse('a'));
  await take(refuse('a'));
  expect(recorded()).toHaveLength(1);
  steps.length = 0;
  await take(refuse('a', '2'));
  expect(steps).toEqual(['keep a@20', 'defer', 'remove a', 'forget a@10']);
  expect(recorded()).toMatchObject([{ id: 'a', version: '2', seqNo: 20 }]);
});

test('a written or deleted document closes the entry of its own key alone, of earlier jobs as well', async () => {
  const entry = { version: '1', seqNo: 7, type: 't', reason: 'r' };
  const { refusals, recorded, steps } = createSession(asides, [
    { id: 'a', ...entry },
    { id: 'a', routing: 'x', ...entry },
  ]);
  await refusals.close([key('b'), key('a', 'y')]);
  expect(steps).toEqual([]);
  await refusals.close([key('a', 'x')]);
  expect(recorded()).toEqual([{ id: 'a', ...entry }]);
  expect(refusals.keys).toEqual([key('a')]);
  await refusals.close([key('a')]);
  expect(recorded()).toBeUndefined();
});

test('more than the bound fails the shard, and keeps nothing of them', async () => {
  const { take, steps } = createSession({ ...asides, maxDocumentsSetAside: 1 });
  await take(refuse('a'));
  await take(refuse('a', '2'));
  steps.length = 0;
  await expect(take(refuse('b'))).rejects.toThrow('refuses 2 documents, and 1 may be set aside');
  expect(steps).toEqual([]);
});

test('fail: a document to which a script has given another id is named by its id of the source', async () => {
  const { take, refusals } = createSession({});
  const one = refuse('new');
  const { document: origin } = refuse('old');
  await take({ ...one, document: { ...one.document, origin } });
  expect(() => refusals.assertNone()).toThrow(/ no \(1: \[old\]\)$/);
});

test('fail: up to 100 are named by reason, and none is kept', async () => {
  const { take, steps, refusals, recorded } = createSession({});
  expect(refusals.room).toBe(100);
  await take(...Array.from({ length: 60 }, (_, n) => refuse(`a${n}`)));
  expect(refusals.room).toBe(40);
  expect(() => refusals.assertNone()).toThrow(
    /refuses 60 documents, by reason: mapper_parsing_exception: no \(60: \[a0\], /,
  );
  await take(...Array.from({ length: 60 }, (_, n) => refuse(`b${n}`)));
  expect(() => refusals.assertNone()).toThrow(/refuses 100 or more documents, .*\[b39\]\)$/);
  expect(steps).toEqual([]);
  expect(recorded()).toBeUndefined();
});
