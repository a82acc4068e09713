import type { VerificationRecord } from '@aosc/contract';
import { createMigration } from '../runner/__tests__/clear-bench';
import { ClusterError } from '../../ports/cluster-error';
import type { StepContext } from '../step/context';
import { findUnverified } from './verify-gate';

function createScene(verify?: 'content') {
  const record = createMigration({});
  const scene = {
    migration: { ...record, options: { ...record.options, ...(verify && { verify }) } },
    stored: undefined as VerificationRecord | undefined,
    isTaken: false,
  };
  const context: Partial<StepContext> = {
    signal: new AbortController().signal,
    clock: { now: () => 5, monotonic: () => 5, random: () => 0, sleep: () => Promise.resolve() },
    store: {
      readVerification: () =>
        Promise.resolve(scene.stored && { record: scene.stored, seqNo: 0, primaryTerm: 1 }),
      replaceVerification: (_before: unknown, after: VerificationRecord) => {
        if (scene.isTaken) throw new ClusterError('conflict', 'somebody was faster');
        scene.stored = after;
        return Promise.resolve({ record: after, seqNo: 0, primaryTerm: 1 });
      },
    } as Partial<StepContext['store']> as StepContext['store'],
  };
  return { scene, look: () => findUnverified(context as StepContext, scene.migration) };
}

test('without options.verify content nothing is verified', async () => {
  const { scene, look } = createScene();
  expect(await look()).toBeUndefined();
  expect(scene.stored).toBeUndefined();
});

test('the first look begins a verification, and the cutover waits for one without a difference', async () => {
  const { scene, look } = createScene('content');
  expect(await look()).toContain('0 documents are verified so far');
  expect(scene.stored).toMatchObject({ phase: 'running', startedAtMillis: 5 });
  if (scene.stored === undefined) throw new Error('nothing was begun');
  const done = { ...scene.stored, phase: 'done' } as const;
  scene.stored = { ...done, counts: { ...done.counts, extra: 1 } };
  expect(await look()).toContain('1 extra');
  scene.stored = done;
  expect(await look()).toBeUndefined();
});

test('a verification that a person begins at the same moment is as good', async () => {
  const { scene, look } = createScene('content');
  scene.isTaken = true;
  expect(await look()).toContain('verified so far');
});
