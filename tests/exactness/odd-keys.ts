import { evaluateKey, mayMislead, shardOf, tellsTargetShard } from '@aosc/domain';
import type { AskedKey, Random } from '@aosc/testkit';
import { type Key, versionings } from './keys';
import type { Plan } from './plan';

/** What becomes of a document whose key a search shows otherwise than it was sent. */
type Fate =
  /** the application finds it in the target */
  | 'kept'
  /** the migration fails, and names it */
  | 'named'
  /** either of them: a transform decides */
  | 'open';

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
    const isKept = fateOf(plan, key) === 'kept';
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

/** @param sent the key as the application sends it */
export function fateOf({ source, target, transform }: Plan, sent: AskedKey): Fate {
  const key = shownKey(sent);
  switch (evaluateKey(key, shardOf(sent, source), source)) {
    case 'whole':
      return 'kept';
    case 'foreign':
      return 'named';
    case 'doubtful':
      if (transform === 'rewrites_ids') return target.shardCount === 1 ? 'kept' : 'open';
      return mayMislead(key, target) && !tellsTargetShard(source, target) ? 'named' : 'kept';
  }
}

/** The key as a search shows it. */
export function shownKey({ id, routing }: AskedKey): AskedKey {
  return { id: id.toWellFormed(), routing: routing?.toWellFormed() };
}
