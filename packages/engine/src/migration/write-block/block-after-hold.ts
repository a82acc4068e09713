import type { MigrationRecord } from '@aosc/contract';
import { blockAlias, type WithHold } from '@aosc/domain';
import { instead } from '../../ports/cluster-error';
import type { PrimaryCheckpoint } from '../../ports/index-state-port';
import { lookAtFinals, readFinalCheckpoints } from '../cutover/final-checkpoints';
import { mayWritesRun } from '../phases/decide-finish';
import type { StepContext } from '../step/context';
import { freeNamesake, markBlock } from './mark-block';
import { blockInstead } from './write-hold';

/** The final checkpoint of each source shard, or why there is none. */
type Proof = Promise<readonly PrimaryCheckpoint[] | 'draining' | 'source_gone'>;

/** The polls are short, because the block refuses all held writes at once. */
const pollMs = 10;
const maxPolls = 10;

/**
 * Puts the block in the place of the hold, in one change of settings. The API `_block` can't do that: it would refuse
 * writes while it waits for the copies that the hold asks for.
 *
 * A repeated request for the block changes nothing, so OpenSearch answers at once, and the answer proves nothing. So
 * `provePut` also writes the mark of the block (see `markBlock`), whose text is new each time. The answer to that
 * request proves that every node has applied block and mark.
 * @param beside work that need not wait for the proof; this function returns only when that work has ended
 * @returns the final checkpoint of each source shard, read when no write that is older than the block ran any more;
 *   `draining`: ask again
 */
export async function blockAfterHold(
  context: StepContext,
  record: MigrationRecord & WithHold,
  beside: () => Promise<void>,
): Proof {
  if (!(await putBlock(context, record))) return markAgain(context, record);
  const done = beside();
  // Waits for `beside` even after an error. If `beside` still ran after an undo, it would take away the overrides that
  // the replay needs.
  const [finals] = await Promise.all([provePut(context, record), done]).finally(() =>
    Promise.allSettled([done]),
  );
  return finals;
}

async function provePut(context: StepContext, record: MigrationRecord & WithHold): Proof {
  const { source, signal, clock } = context;
  const [isMarked, { members }] = await Promise.all([
    markBlock(context, record),
    source.cluster.readView(undefined, { signal }),
  ]);
  if (!isMarked) return 'draining';
  // Waits for the writes that run at the first look to which all members have answered. The block stops every write
  // that begins later. The running time of a write does not prove its age, because the clock of a node may stand still.
  let older: readonly string[] | undefined;
  for (let polls = 1; ; polls++) {
    const { running, answered } = await source.tasks.listWrites({ signal });
    const left = older?.filter((write) => running.includes(write)) ?? running;
    if (!mayWritesRun({ running: left, answered }, members)) break;
    if (polls === maxPolls) return 'draining';
    if (!mayWritesRun({ running: [], answered }, members)) older = left;
    await clock.sleep(pollMs, signal);
  }
  const look = await lookAtFinals(context);
  if (look.routing.indexUuid === record.sourceUuid)
    return (await readFinalCheckpoints(context, record, look)) ?? 'draining';
  await freeNamesake(context, record, await source.state.describe({ signal }));
  return 'source_gone';
}

/**
 * Sends a request that names the mark (an alias of the source): if the source is gone, so is the mark.
 * @returns false: the mark is missing
 */
async function putBlock(
  { source, signal, assertMandate }: StepContext,
  { key, writeHold }: MigrationRecord & WithHold,
): Promise<boolean> {
  assertMandate();
  const put = source.settings.put(blockInstead(writeHold), { signal }, blockAlias(key));
  return put.then(() => true, instead(false, 'not_found'));
}

/** Sets the mark again when a user has taken it away. If the source is gone, the mark has gone with it. */
async function markAgain(context: StepContext, record: MigrationRecord): Promise<'draining' | 'source_gone'> {
  const described = await context.source.state.describe({ signal: context.signal });
  if (described?.uuid !== record.sourceUuid) return 'source_gone';
  await markBlock(context, record);
  return 'draining';
}
