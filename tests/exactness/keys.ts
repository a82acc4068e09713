import { shardOf } from '@aosc/domain';
import type { Random } from '@aosc/testkit';
import type { Plan } from './plan';

export const versionings = ['internal', 'internal', 'external', 'external_gte'] as const;
export type Versioning = (typeof versionings)[number];

/** An id that one writer writes to, under one routing or several. */
export interface Key {
  readonly id: string;
  readonly routings: readonly [string | undefined, ...(string | undefined)[]];
  readonly versioning: Versioning;
  /** the highest external version used so far */
  version: bigint;
}

const routingValues = ['r1', 'r2', 'r3', 'r4', 'a b', 'x/y', '"q"', 'ü', '🌍', '12', 'a,b', "it's"] as const;
const largeVersion = 9_007_199_254_740_993n;
/** A transform that rewrites ids puts three bytes before them. */
const longestId = 509;

const idMakers: readonly ((n: number) => string)[] = [
  (n) => `k${n}`,
  (n) => String(n),
  (n) => `0${n}`,
  (n) => `-${n}`,
  (n) => String.fromCodePoint(0x4e00 + n),
  (n) => `k${n}`.padEnd(longestId, 'x'),
  (n) => `${n}`.padStart(5, 'z') + '🌍'.repeat(126),
  (n) => `"${n}"`,
  (n) => `a/${n}/../b?c=d#e`,
  (n) => ` ${n} `,
  (n) => `\\${n}\\u0041`,
  (n) => `_${n}`,
  (n) => `é${n} 100%25+x`,
  (n) => `tab\t${n}\nline`,
  (n) => Buffer.from(`auto-like-${n}`.padEnd(15, '.')).toString('base64url'),
];

/** Draws the keys of all writers. No two of them have the same id. */
export function drawKeys(random: Random, plan: Plan): Key[] {
  return Array.from({ length: plan.keys }, (_, n) => {
    const make = idMakers[random.next() < 0.4 ? 0 : random.below(idMakers.length)] ?? String;
    const id = n < 10 && random.next() < 0.3 ? String.fromCharCode(0x41 + n) : make(n);
    const versioning = versionings[random.below(versionings.length)] ?? 'internal';
    const version = random.next() < 0.5 ? largeVersion : 10n;
    return { id, routings: drawRoutings(random, plan, id), versioning, version };
  });
}

/**
 * Several routings of an id only where its documents can all be in the target: those of one source shard replace
 * each other, and those of several must not meet in one shard of the target.
 */
function drawRoutings(random: Random, plan: Plan, id: string): Key['routings'] {
  const draw = (): string | undefined =>
    plan.routingRequired || random.next() < 0.4 ? random.pick(routingValues) : undefined;
  const routings: [string | undefined, ...(string | undefined)[]] = [draw()];
  if (random.next() < 0.6) return routings;
  for (let n = 0; n < 3; n++) {
    const other = draw();
    if (!routings.includes(other) && routings.every((one) => canBoth(plan, id, one, other)))
      routings.push(other);
  }
  return routings;
}

function canBoth(plan: Plan, id: string, one: string | undefined, other: string | undefined): boolean {
  const home = (routing: string | undefined, shape: Plan['source']): number =>
    shardOf({ id, routing }, shape);
  if (home(one, plan.source) === home(other, plan.source)) return true;
  // a rewritten routing leads elsewhere
  if (plan.transform === 'rewrites_ids') return false;
  return home(one, plan.target) !== home(other, plan.target);
}

/** Two routings of an id that lead to two shards of the source and to one of the target. */
export function findTwinRoutings(plan: Plan, id: string): readonly [string, string] | undefined {
  const candidates = Array.from({ length: 200 }, (_, n) => `twin${n}`);
  const [first = ''] = candidates;
  const second = candidates.find((other) => !canBoth(plan, id, first, other));
  return second === undefined ? undefined : [first, second];
}
