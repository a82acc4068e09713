import { NewerVersionError, type VerificationRecord } from '@aosc/contract';
import { onAbort, startTicks } from '@aosc/signals';
import {
  certificateOf,
  endVerification,
  isWholeCopy,
  type VerificationFailure,
  type VerifyGroup,
  verifyGroups,
  withDifferences,
  withPart,
} from '@aosc/domain';
import { type ClusterErrorKind, isClusterError } from '../ports/cluster-error';
import type { Stored } from '../ports/store-port';
import type { JobResult } from '../shard/context';
import { comparePart } from './compare-part';
import {
  readCurrent,
  type VerifyContext,
  VerificationFailedError,
  VerificationInterruptedError,
} from './context';
import { VerifyReader } from './reader';
import { judgeOrRepair } from './repair';

/**
 * A verification looks this often whether a cutover has begun, and stops then: the cutover has the cluster for itself.
 */
const lookMs = 250;
/** The most tries at a part whose points in time get lost. */
const maxTries = 5;
/** How long until the next try: a cutover takes seconds, and a sweep may give back memory for prints. */
const laterMs = 2000;

const passing: readonly ClusterErrorKind[] = [
  'transient',
  'overload',
  'aborted',
  'conflict',
  'snapshot_lost',
];

/**
 * Verifies a migration part by part, from where the verification's record says, until its end, or until it has to stop.
 * Position and result of a part are written together: after a death the next worker compares the part again, and
 * nothing counts twice. Beside requests for repairs it changes only its own record, so its death or failure does the
 * migration no harm.
 * @param signal fires when nothing new may begin
 * @throws the signal's reason
 */
export async function runVerification(context: VerifyContext, signal: AbortSignal): Promise<JobResult> {
  const { store, migration, log, timing } = context;
  const stored = await store.readVerification(migration.key, { signal });
  if (stored?.record.phase !== 'running') return { type: 'done' };
  const ending = new AbortController();
  const forget = onAbort(signal, () => ending.abort(signal.reason));
  const reader = new VerifyReader(context, ending.signal, (error) => ending.abort(error));
  const ticks = startTicks(
    Math.min(timing.heartbeatMs, lookMs),
    async () => {
      await readCurrent(context, ending.signal);
    },
    (error) => {
      if (!isClusterError(error)) ending.abort(error);
    },
  );
  try {
    await readCurrent(context, ending.signal);
    if (!isWholeCopy(await reader.readShards())) return { type: 'again', delayMs: laterMs };
    return await goOn(context, reader, stored);
  } catch (error) {
    signal.throwIfAborted();
    const cause: unknown = ending.signal.aborted ? ending.signal.reason : error;
    if (cause instanceof VerificationInterruptedError) return { type: 'again', delayMs: laterMs };
    const reason = reasonOf(cause);
    if (reason === undefined) throw cause;
    log.warn('verification_failed', reason);
    const now = await store.readVerification(migration.key, { signal });
    const found = cause instanceof VerificationFailedError ? cause.found : [];
    if (now?.record.phase === 'running') await end(context, now, signal, { reason, found });
    return { type: 'done' };
  } finally {
    ticks.stop();
    forget();
    ending.abort(new Error('the verification has stopped'));
  }
}

/**
 * The reason to end a verification for good; undefined: another try may succeed. An unforeseen error is such a reason,
 * because it would come again.
 */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof NewerVersionError) return undefined;
  if (isClusterError(error) && passing.includes(error.kind)) return undefined;
  return error instanceof Error ? error.message : String(error);
}

async function goOn(
  context: VerifyContext,
  reader: VerifyReader,
  begun: Stored<VerificationRecord>,
): Promise<JobResult> {
  const { store, migration, log } = context;
  const { signal } = reader;
  const groups = verifyGroups(migration);
  let stored = begun;
  for (;;) {
    const group = groups[stored.record.position.group];
    if (group === undefined) break;
    const next = await verifyPart(reader, stored.record, group);
    if (next === undefined) return { type: 'again', delayMs: laterMs };
    stored = await store.replaceVerification(stored, next, { signal });
  }
  const { counts, documentsCompared, unsettled } = stored.record;
  await end(context, stored, signal);
  log.info('verification_complete', 'the target was compared with the source', {
    ...counts,
    documents: documentsCompared,
    unsettled,
  });
  return { type: 'done' };
}

async function end(
  { store, clock, migration, hashOf }: VerifyContext,
  stored: Stored<VerificationRecord>,
  signal: AbortSignal,
  failure?: VerificationFailure,
): Promise<void> {
  const ended = endVerification(stored.record, clock.now(), failure);
  const digest = hashOf(JSON.stringify(certificateOf(migration, ended)));
  await store.replaceVerification(stored, { ...ended, digest }, { signal });
}

/** @returns the record with the part's position and result; undefined: it can't be compared now */
async function verifyPart(
  reader: VerifyReader,
  record: VerificationRecord,
  group: VerifyGroup,
): Promise<VerificationRecord | undefined> {
  const { part, parts, group: at } = record.position;
  for (let attempt = 1; ; attempt++) {
    try {
      const compared = await comparePart(reader, { group, part, parts, before: record.ranges[at] });
      if (compared === undefined) return undefined;
      const { toSeqNo, ...judged } = await judgeOrRepair(
        reader,
        group,
        compared,
        record.repaired !== undefined,
      );
      if (compared.hasMore) {
        const { samples } = withDifferences(record, judged.differences);
        const first = samples.slice(0, 5).map(({ kind, id }) => `[${id}] ${kind}`);
        throw new VerificationFailedError(
          `more documents differ than can be looked at one by one; the first of them: ${first.join(', ')}`,
          judged.differences,
        );
      }
      return withPart(record, { ...judged, parts: compared.parts, range: { ...compared.range, toSeqNo } });
    } catch (error) {
      if (!isClusterError(error, 'snapshot_lost') || attempt >= maxTries) throw error;
    }
  }
}
