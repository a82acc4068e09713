import { newShardRecord } from '@aosc/domain';
import { NodeWatch } from '../../cluster/node-watch';
import type { Stored } from '../../ports/store-port';
import type { ShardRecord } from '@aosc/contract';
import type { StepContext } from '../step/context';
import { forgetLostNodes } from './forget-lost-nodes';

const [here, gone] = ['here/1', 'gone/1'];
const now = 100_000;
const staleAfterMs = 15_000;

/** A shard whose record names a node that counts as dead. */
function naming(writer: Partial<ShardRecord['writer']>): Stored<ShardRecord> {
  const record = newShardRecord('0123456789abcdef0123', 0, 0);
  return {
    record: {
      ...record,
      writer: { ...record.writer, fenceReady: true, nodes: [here, gone], heartbeatAtMillis: now, ...writer },
    },
    seqNo: 1,
    primaryTerm: 1,
  };
}

async function forget(shard: Stored<ShardRecord>) {
  const written: ShardRecord[] = [];
  const clock = { now: () => now, monotonic: () => now, sleep: () => Promise.resolve(), random: () => 0 };
  const nodes = new NodeWatch({ readView: () => Promise.reject(new Error('not asked')) }, clock, 0);
  nodes.judge([gone], [here]);
  const store = {
    replaceShard: (before: Stored<ShardRecord>, after: ShardRecord) => {
      written.push(after);
      return Promise.resolve({ ...before, record: after });
    },
  } as unknown as StepContext['store'];
  const context = {
    store,
    nodes,
    clock,
    liveness: undefined,
    signal: new AbortController().signal,
    timing: { staleAfterMs, requestTimeoutMs: 1, writeBlockMaxMs: 1, guardMs: 0 },
  };
  return { isNamed: await forgetLostNodes(context, [shard], [gone], [here]), written };
}

test('the record of a shard that nobody owns names it no more', async () => {
  const { isNamed, written } = await forget(naming({}));
  expect(isNamed).toBe(false);
  expect(written.map(({ writer }) => writer.nodes)).toEqual([[here]]);
});

test('that of a living owner is its own, and CUTTING_OVER waits for its round', async () => {
  expect(await forget(naming({ owner: 'me' }))).toEqual({ isNamed: false, written: [] });
});

test('that of a dead owner is left to the next one, which is waited for: the last round would wait for the node', async () => {
  const silent = naming({ owner: 'me', heartbeatAtMillis: now - staleAfterMs });
  expect(await forget(silent)).toEqual({ isNamed: true, written: [] });
});
