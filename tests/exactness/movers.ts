import { shardOf } from '@aosc/domain';
import type { Random } from '@aosc/testkit';
import { type Key, type Versioning, versionings } from './keys';
import type { Plan } from './plan';
import type { Write, Written } from './write';

/**
 * An id of which one document lives at a time: it is deleted under one routing, and when that is acknowledged it may be
 * made under another, in another shard of the source, and often in the same shard of the target.
 */
export interface Mover extends Key {
  /** where it lives; null: nowhere */
  home: { readonly routing: string | undefined } | null;
  /** where it was made last */
  last: string | undefined;
}

const routingCount = 60;
const largeVersion = 9_007_199_254_740_993n;
const mostRoutings = 4;
/** how likely the next write to a document that lives is the delete with which it leaves */
const departures = 0.6;

/** Draws the documents that move. */
export function drawMovers(random: Random, plan: Plan): Mover[] {
  return Array.from({ length: plan.movers }, (_, n) => {
    const id = `mover-${n}`;
    const versioning = random.pick<Versioning>(versionings);
    const version = random.next() < 0.5 ? largeVersion : 10n;
    return { id, routings: drawRoutings(random, plan, id), versioning, version, home: null, last: undefined };
  });
}

/**
 * At least two of them lead to different shards of the source and to the same one of the target, where two can meet: in
 * a target that a split could have made, none do.
 * @throws Error when all lead to one shard of the source
 */
function drawRoutings(random: Random, plan: Plan, id: string): Mover['routings'] {
  const candidates = Array.from({ length: routingCount }, (_, n) => `m${(n * 7 + random.below(7)) % 997}`);
  const home = (routing: string, shape: Plan['source']): number => shardOf({ id, routing }, shape);
  for (const first of candidates) {
    const others = candidates.filter((one) => home(one, plan.source) !== home(first, plan.source));
    const second = others.find((one) => home(one, plan.target) === home(first, plan.target));
    if (second === undefined) continue;
    const more = others.filter((one) => one !== second).slice(0, random.below(mostRoutings - 1));
    return [first, second, ...more];
  }
  const first = candidates[0];
  const other = candidates.find(
    (one) => first !== undefined && home(one, plan.source) !== home(first, plan.source),
  );
  if (first === undefined || other === undefined) throw new Error(`${id} has one home in the source alone`);
  return [first, other];
}

/** What the application does next to it. @param body of the document, or the part to change */
export function drawMove(random: Random, mover: Mover, body: string): Write {
  const { id, versioning, home } = mover;
  const write = (verb: Write['verb'], routing: string | undefined, version: bigint): Write => ({
    verb,
    id,
    routing,
    versioning,
    version,
    body,
  });
  mover.version += BigInt(1 + random.below(2));
  if (home === null) {
    const elsewhere = mover.routings.filter((routing) => routing !== mover.last);
    // Another shard knows nothing of the life before: a version that is lower again is taken.
    const version = random.next() < 0.3 ? 1n : mover.version;
    return write('index', elsewhere[random.below(elsewhere.length)], version);
  }
  if (random.next() < departures) return write('delete', home.routing, mover.version);
  const verb = versioning === 'internal' && random.next() < 0.3 ? 'update' : 'index';
  return write(verb, home.routing, mover.version);
}

/** Notes where it lives now. @returns whether it has moved */
export function settleMove(mover: Mover, { verb, routing }: Write, { status }: Written): boolean {
  if (status === 404 || (verb === 'delete' && status < 300)) {
    mover.home = null;
    return false;
  }
  if (status >= 300) return false;
  const moved = mover.last !== undefined && mover.last !== routing;
  mover.home = { routing };
  mover.last = routing;
  return moved;
}
