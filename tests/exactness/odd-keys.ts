import { evaluateKey, shardOf } from '@aosc/domain';
import type { AskedKey, Random } from '@aosc/testkit';
import { fateOf, type KeyFate, shownKey } from '../support/key-fate';
import { type Key, versionings } from './keys';
import type { Plan } from './plan';

/** Halves of surrogate pairs at each place of a text, and what OpenSearch shows for them. */
const spellings = [
  (n: number) => `odd${n}\ud83d`,
  (n: number) => `\ude00odd${n}`,
  (n: number) => `od\ud83dd${n}`,
  (n: number) => `odd${n}\udfff\ud800`,
  (n: number) => `odd${n}\u{1f30d}\ud83c`,
  (n: number) => `odd${n}\ufffd`,
] as const;
const keptKeys = 8;
const otherKeys = 3;
const maxTries = 400;

/** Keys of their own ids: those that are kept, and others where the plan has them. */
export function drawOddKeys(random: Random, plan: Plan): Key[] {
  const keys: Key[] = [];
  if (plan.oddKeys === 'none') return keys;
  let others = plan.oddKeys === 'any' ? otherKeys : 0;
  let kept = keptKeys;
  for (let n = 0; n < maxTries && kept + others > 0; n++) {
    const key = drawOddKey(random, plan, n);
    const isKept = planFate(plan, key) === 'kept';
    if (isKept ? kept === 0 : others === 0) continue;
    if (isKept) kept -= 1;
    else others -= 1;
    keys.push({ id: key.id, routings: [key.routing], versioning: random.pick(versionings), version: 10n });
  }
  return keys;
}

function drawOddKey(random: Random, plan: Plan, n: number): AskedKey {
  const spell = random.pick(spellings);
  const isRouted = plan.routingRequired || random.next() < 0.5;
  if (!isRouted) return { id: spell(n), routing: undefined };
  const isOdd = random.next() < 0.5;
  return {
    id: isOdd && random.next() < 0.5 ? `odd${n}` : spell(n),
    routing: isOdd ? spell(n % 7) : `r${n % 7}`,
  };
}

/**
 * Whether a document with this key may end the migration: such a key may be hidden by what a search shows.
 * @param sent the key as the application sends it
 * @returns `open` where a transform decides, or whether the application writes it again
 */
export function planFate(
  { source, target, transform, byFiles, mode }: Plan,
  sent: AskedKey,
): KeyFate | 'open' {
  const fate = fateOf(sent, source, target);
  // A clone of files has such a document where it was, unless it is written again.
  if (byFiles && mode === 'SAME_SHARD' && fate === 'named') return 'open';
  if (transform !== 'rewrites_ids' || target.shardCount === 1) return fate;
  const key = shownKey(sent);
  return evaluateKey(key, shardOf(sent, source), source) === 'doubtful' ? 'open' : fate;
}
