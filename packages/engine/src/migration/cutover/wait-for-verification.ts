import type { VerificationRecord } from '@aosc/contract';
import { concludeRehearsal, describeVerification, predictPauseMs } from '@aosc/domain';
import { changed, type MigrationView, type StepContext, type StepResult } from '../step/context';
import { waitHeldUp } from '../step/waiting-reason';
import { measureCutover } from './measure-cutover';

const pollMs = 1000;

/**
 * Waits without a deadline for a verification, or until a person has decided about documents that are set aside. A
 * rehearsal ends where the cutover would begin, or as soon as its verification has failed or found a difference.
 * @param text what the cutover waits for; undefined: the cutover could begin
 */
export async function waitForVerification(
  context: StepContext,
  { record, shards: stored }: MigrationView<'PREPARING_TARGET'>,
  text?: string,
): Promise<StepResult<'PREPARING_TARGET'>> {
  const { store, clock, signal } = context;
  const found = record.options.rehearse && (await store.readVerification(record.key, { signal }));
  const isOver = found && hasEnded(found.record);
  if (isOver && (text === undefined || describeVerification(found.record) !== undefined)) {
    const { measured } = await measureCutover(context, stored);
    const shards = stored.map(({ record: shard }) => shard);
    const pauseMs = predictPauseMs({ measured }, shards);
    // While no shard has had a round, there is no prediction, so the rehearsal waits for a round.
    if (pauseMs === undefined && text === undefined) return { type: 'waiting', wakeInMs: pollMs };
    return changed(concludeRehearsal(record, shards, found.record, { pauseMs, nowMillis: clock.now() }));
  }
  // The wait may be long, so the block is not near, and rounds need no hurry.
  const { blockNearSinceMillis, ...far } = record;
  if (blockNearSinceMillis !== undefined) return changed(far);
  const describe = () => text ?? 'a person verifies it again';
  return waitHeldUp(context, record, { reason: 'target', describe, unnoticedMs: 0 });
}

/** If a pass could not judge some documents, the next pass looks at these again. */
const hasEnded = ({ phase, unsettled }: VerificationRecord): boolean =>
  phase === 'failed' || (phase === 'done' && unsettled === 0);
