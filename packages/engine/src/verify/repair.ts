import { askForRepair, type VerifyGroup } from '@aosc/domain';
import { accessShard, writeFound } from '../ports/acknowledged-write';
import { inRequests } from '../shard/read/chunks';
import type { ComparedPart } from './compare-part';
import type { VerifyReader } from './reader';
import { type Settled, Settler } from './settle';

/** A document may be written during its repair, and differ again. */
const maxRepairs = 3;
const pollMs = 500;
/** Two minutes of polls: a shard at rest looks for repairs every few seconds. */
const maxPolls = 240;

/**
 * Judges those documents of a part that did not match. If the caller wants repairs, this has the differing documents
 * repaired, and looks at them again.
 */
export async function settleOrRepair(
  reader: VerifyReader,
  group: VerifyGroup,
  compared: ComparedPart,
  mayRepair: boolean,
): Promise<Settled & { readonly repaired: number }> {
  const settler = new Settler(reader, group, compared);
  let settled = await settler.settle();
  let repaired = 0;
  for (let tries = 1; mayRepair && settled.differences.length > 0 && tries <= maxRepairs; tries++) {
    const { differences, unsettled, contested } = settled;
    const ids = [...new Set(differences.map(({ id }) => id))];
    for (const part of inRequests(ids)) await repair(reader, group, part);
    const again = await settler.settle(differences);
    repaired += differences.length - again.differences.length - again.unsettled - again.contested;
    settled = { ...again, unsettled: again.unsettled + unsettled, contested: again.contested + contested };
  }
  return { ...settled, repaired };
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
