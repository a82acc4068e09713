import { askForRepair, isReplayingPhase, type VerifyGroup } from '@aosc/domain';
import { accessShard, writeFound } from '../ports/acknowledged-write';
import { inRequests } from '../shard/read/chunks';
import type { ComparedPart } from './compare-part';
import { readCurrent, VerificationInterruptedError } from './context';
import type { VerifyReader } from './reader';
import { DoubtJudge, type Judged } from './judge-doubts';

/** A document may be written during its repair, and differ again. */
const maxRepairs = 3;
const pollMs = 500;
/** Two minutes of polls: a shard at rest looks for repairs every few seconds. */
const maxPolls = 240;

/**
 * Judges those documents of a part that did not match. If the caller wants repairs, this has the differing documents
 * repaired, and looks at them again. After the swap it asks for no repair: no job would do it, and what applications
 * write hides a difference.
 * @throws VerificationInterruptedError when the swap came during a repair
 */
export async function judgeOrRepair(
  reader: VerifyReader,
  group: VerifyGroup,
  compared: ComparedPart,
  wantsRepairs: boolean,
): Promise<Judged & { readonly repaired: number }> {
  const isReplaying = async () => isReplayingPhase((await readCurrent(reader.context, reader.signal)).phase);
  const assertReplaying = async () => {
    if (!(await isReplaying())) throw new VerificationInterruptedError('the swap came during a repair');
  };
  const judge = new DoubtJudge(reader, group, compared);
  let judged = await judge.judge();
  let repaired = 0;
  const mayRepair = wantsRepairs && (await isReplaying());
  for (let tries = 1; mayRepair && judged.differences.length > 0 && tries <= maxRepairs; tries++) {
    const { differences, unsettled, contested } = judged;
    const ids = [...new Set(differences.map(({ id }) => id))];
    for (const part of inRequests(ids)) {
      await assertReplaying();
      await repair(reader, group, part);
    }
    const again = await judge.judge(differences);
    await assertReplaying();
    repaired += differences.length - again.differences.length - again.unsettled - again.contested;
    judged = { ...again, unsettled: again.unsettled + unsettled, contested: again.contested + contested };
  }
  return { ...judged, repaired };
}

/** Asks the shards' replay jobs to repair the documents with these ids, and waits for them for at most two minutes. */
async function repair(
  { context, signal }: VerifyReader,
  { sourceShards }: VerifyGroup,
  ids: readonly string[],
): Promise<void> {
  const { store, migration, clock } = context;
  const { key } = migration;
  const read = async () => {
    const shards = await Promise.all(sourceShards.map((shard) => store.readShard(key, shard, { signal })));
    return shards.flatMap((stored) => stored ?? []);
  };
  for (const stored of await read()) {
    const access = accessShard(store, stored.record, signal);
    await writeFound(access, stored, ({ record }) => askForRepair(record, ids));
  }
  for (let poll = 0; poll < maxPolls; poll++) {
    if ((await read()).every(({ record }) => record.repairIds === undefined)) return;
    await clock.sleep(pollMs, signal);
  }
}
