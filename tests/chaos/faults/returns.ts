import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '@aosc/local-stack';
import type { Fault, Victim } from '../fault';
import { type HeldKind, holdRequests } from '../late-answers';
import { managerOf, nodeOf } from './homes';
import { readView, type View } from './view';

/** From the pause to the removal: fault detection takes four seconds in the arena, and an election a little longer. */
const removalMs = 60_000;
const promotionMs = 30_000;
/** Under a write block none comes. */
const writesMs = 3_000;
const writes = 60;
const mostDelayMs = 3_000;
/** Less than fault detection takes for a removal: the node that comes back can not join meanwhile. */
const stallMs = 1_500;
const rejoinMs = 60_000;
const pollMs = 25;
/** For the requests that were held to get from the proxy into the socket of the paused node. */
const arrivalMs = 50;

/**
 * Pauses a node until the others have gone on without it, then lets it go on. For that moment it is the node that it was,
 * and answers what lies in its socket, until it learns that it was removed.
 */
async function comeBack(victim: Victim, node: Server): Promise<void> {
  const { arena, random } = victim;
  const at = arena.environment.stack.nodes.indexOf(node);
  const proxy = arena.proxies[at];
  const url = arena.environment.urls[at];
  if (proxy === undefined || url === undefined) throw new Error(`${node.name} has no proxy`);
  const kind = random.pick<HeldKind>(['everything', 'everything', 'snapshots', 'documents', 'views']);
  const before = await readView(victim);
  const late = holdRequests(proxy, kind);
  const away = arena.leaveOut(url);
  const stallEnds = arena.beginStall();
  try {
    victim.mark();
    node.pause();
    await untilGoneOn(victim, node, before);
    stallEnds();
    await untilWritten(victim);
    await sleep(random.pick([0, random.below(mostDelayMs)]));
    const stalled = random.next() < 0.5 ? await managerOf(victim) : undefined;
    late.release();
    await sleep(arrivalMs);
    late.count();
    stalled?.pause();
    node.resume();
    if (stalled !== undefined) await letGoOn(stalled);
    await until(`${node.name} to be a member again`, rejoinMs, async () =>
      isMember(await readView(victim), node),
    );
  } finally {
    node.resume();
    away();
    stallEnds();
    victim.tellLate({ kind, ...late.end() });
  }
}

async function letGoOn(stalled: Server): Promise<void> {
  try {
    await sleep(stallMs);
  } finally {
    stalled.resume();
  }
}

/** The others have removed the node, and promoted what they had copies of. */
async function untilGoneOn(victim: Victim, node: Server, before: View): Promise<void> {
  const isGone = (view: View): boolean => !isMember(view, node) && view.manager !== node.name;
  await until(`${node.name} to be removed`, removalMs, async () => isGone(await readView(victim)));
  await until(`primaries of ${node.name} elsewhere`, promotionMs, async () =>
    isReplaced(await readView(victim), node, before),
  );
}

async function untilWritten(victim: Victim): Promise<void> {
  const acknowledged = victim.acknowledged();
  const deadline = performance.now() + writesMs;
  while (victim.acknowledged() < acknowledged + writes && performance.now() < deadline) await sleep(pollMs);
}

function isMember({ members }: View, { name }: Server): boolean {
  return members.includes(name);
}

/** Every shard that had another copy has a primary; one whose other copies have gone meanwhile waits for the node. */
export function isReplaced(view: View, { name }: Pick<Server, 'name'>, before: View): boolean {
  const had = before.copies.filter(({ primary, node }) => primary && node === name);
  return had.every(({ index, shard }) => {
    const same = (each: { index: string; shard: number }): boolean =>
      each.index === index && each.shard === shard;
    const replicas = before.copies.filter((copy) => same(copy) && !copy.primary && copy.node !== undefined);
    const now = view.copies.filter(same);
    return (
      replicas.length === 0 ||
      now.length < 2 ||
      now.some(({ primary, node }) => primary && node !== undefined && node !== name)
    );
  });
}

async function until(what: string, patienceMs: number, isMet: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await isMet())) {
    if (performance.now() > deadline) throw new Error(`Waited in vain for ${what} for ${patienceMs} ms`);
    await sleep(pollMs);
  }
}

const returns = (name: string, whose: string, find: (victim: Victim) => Promise<Server>): Fault => ({
  name,
  what: `SIGSTOP of ${whose} until the others have removed it and gone on, SIGCONT up to 3 s later, with requests of the service held for it; in half of the runs it can not join again for 1.5 s`,
  demand: 'exact',
  disturbsWriters: true,
  hindersUs: true,
  strike: async (victim) => comeBack(victim, await find(victim)),
});

export const returnFaults: readonly Fault[] = [
  returns('node_returns', 'the node with a primary of the source', (victim) => nodeOf(victim, victim.source)),
  returns('target_node_returns', 'the node with a primary of the target', (victim) =>
    nodeOf(victim, victim.target),
  ),
  returns('manager_returns', 'the elected cluster manager', managerOf),
];
