import type { VerificationRecord } from '@aosc/contract';
import { newVerification } from '@aosc/domain';
import { createMigration } from '../runner/__tests__/clear-bench';
import { ClusterError } from '../../ports/cluster-error';
import type { StepContext } from '../step/context';
import { findDifference, findUnverified, verifyRest } from './verify-gate';

const range = {
  sourceShards: [0],
  targetShards: [0],
  documents: 7,
  toSeqNo: { '0': 1000 },
  toTargetSeqNo: { '0': 9 },
};
const done: VerificationRecord = { ...newVerification('k', 0), phase: 'done', ranges: [range] };
const differing = { ...done, counts: { ...done.counts, extra: 1 } };

function createScene(verify: 'content' | undefined, stored?: VerificationRecord) {
  const record = createMigration({});
  const scene = {
    migration: { ...record, options: { ...record.options, ...(verify && { verify }) } },
    stored,
    isTaken: false,
    queued: 0,
    maxSeqNo: 1000,
  };
  const context = {
    signal: new AbortController().signal,
    clock: { now: () => 5 },
    jobs: { ensureVerifyJob: () => Promise.resolve(scene.queued++) },
    source: { state: { readCheckpoints: () => Promise.resolve([{ shard: 0, maxSeqNo: scene.maxSeqNo }]) } },
    store: {
      readVerification: () =>
        Promise.resolve(scene.stored && { record: scene.stored, seqNo: 0, primaryTerm: 1 }),
      replaceVerification: (_before: unknown, after: VerificationRecord) => {
        if (scene.isTaken) throw new ClusterError('conflict', 'somebody was faster');
        scene.stored = after;
        return Promise.resolve({ record: after, seqNo: 0, primaryTerm: 1 });
      },
    },
  } as unknown as StepContext;
  return { scene, context, look: () => findUnverified(context, scene.migration) };
}

test('without options.verify content nothing is verified', async () => {
  const { scene, context, look } = createScene(undefined);
  expect(await look()).toBeUndefined();
  await verifyRest(context, scene.migration);
  expect(scene.stored).toBeUndefined();
});

test('the first look begins a verification, and the cutover waits for one without a difference', async () => {
  const { scene, look } = createScene('content');
  expect(await look()).toContain('0 documents are verified so far, pass 1');
  expect(scene).toMatchObject({ queued: 1, stored: { phase: 'running', startedAtMillis: 5 } });
  scene.stored = differing;
  expect(await look()).toContain('1 extra');
  scene.stored = { ...done, phase: 'failed', reason: 'no room' };
  expect(await look()).toContain('no room');
  expect(scene).toMatchObject({ queued: 1, stored: { passes: 1 } });
  scene.stored = done;
  expect(await look()).toBeUndefined();
});

test('documents that could not be judged keep the cutover waiting, and are compared again', async () => {
  const { scene, look } = createScene('content', { ...done, unsettled: 2 });
  expect(await look()).toContain('pass 2');
  expect(scene).toMatchObject({ queued: 1, stored: { phase: 'running', unsettled: 0, ranges: [range] } });
});

test('what was written since the last pass is compared before the cutover begins, up to what one pass leaves', async () => {
  const { scene, look } = createScene('content', done);
  scene.maxSeqNo = 11_000;
  expect(await look()).toBeUndefined();
  scene.maxSeqNo = 11_001;
  expect(await look()).toContain('pass 2');
  expect(scene.stored).toMatchObject({ phase: 'running', passes: 2, position: { group: 0, part: 0 } });
  // The rounds before the block take their time, too.
  scene.stored = done;
  scene.migration = { ...scene.migration, blockNearSinceMillis: 1 };
  expect(await look()).toBeUndefined();
  scene.maxSeqNo = 101_001;
  expect(await look()).toContain('pass 2');
});

test('passes go on while each leaves less than half, and end in front of writers that are too fast', async () => {
  const { scene, look } = createScene('content', done);
  scene.maxSeqNo = 101_000;
  expect(await look()).toContain('pass 2');
  expect(scene.stored).toMatchObject({ behind: 100_000 });
  const ended = (toSeqNo: number, endedAtMillis: number) => {
    scene.stored = {
      ...done,
      ...scene.stored,
      phase: 'done',
      endedAtMillis,
      ranges: [{ ...range, toSeqNo: { '0': toSeqNo } }],
    };
  };
  ended(60_000, 5);
  expect(await look()).toContain('pass 3');
  expect(scene.stored).toMatchObject({ behind: 41_000 });
  ended(70_000, 5);
  expect(await look()).toBeUndefined();
  // Nothing has begun since, perhaps because a person puts the cutover off.
  ended(70_000, 5 - 60_000);
  expect(await look()).toContain('pass 4');
});

test('a verification that a person begins at the same moment is as good', async () => {
  const { scene, look } = createScene('content');
  scene.isTaken = true;
  expect(await look()).toContain('verified so far');
});

test('right before the block, and under it, only a difference counts', async () => {
  const { scene, context } = createScene('content', { ...done, phase: 'running', unsettled: 2 });
  expect(await findDifference(context, scene.migration)).toBeUndefined();
  scene.stored = { ...differing, phase: 'running' };
  expect(await findDifference(context, scene.migration)).toContain('1 extra');
});

test('after the swap one more pass compares what came before it, and says how much that was', async () => {
  const { scene, context } = createScene('content', done);
  const swapped = { ...scene.migration, finalSeqNos: { '0': 1003 } };
  await verifyRest(context, swapped);
  expect(scene.stored).toMatchObject({ phase: 'running', passes: 2, unprovenAtSwap: 3 });
  const ended = { ...done, unprovenAtSwap: 3 };
  scene.stored = ended;
  await verifyRest(context, swapped);
  expect(scene.stored).toBe(ended);
});
