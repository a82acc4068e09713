import { readStatus } from '@aosc/testkit';
import { type Answer, cancelAndWait, pathOf, type Workshop } from './workshop';
import { makePair, type Names } from './indices';

/** One pair of shard counts: a start without the option and, where that is refused, one with it. */
export interface ModeSample {
  readonly from: number;
  readonly to: number;
  readonly plain: Answer;
  readonly consenting: Answer | undefined;
  /** undefined: never started */
  readonly mode: string | undefined;
}

interface Shape {
  readonly from: number;
  readonly to: number;
  /** `index.number_of_routing_shards` of both sides; left out: what OpenSearch chooses */
  readonly rings?: readonly [number, number];
}

const shapes: readonly Shape[] = [
  { from: 2, to: 2 },
  { from: 3, to: 3 },
  { from: 2, to: 4 },
  { from: 2, to: 8 },
  { from: 4, to: 2 },
  { from: 2, to: 3 },
  { from: 2, to: 6 },
  { from: 1, to: 3 },
  // different rings of routing shards, from and to a single shard
  { from: 1, to: 4, rings: [768, 1024] },
  { from: 4, to: 1, rings: [1024, 768] },
  // and between several, where it matters
  { from: 2, to: 5, rings: [1024, 640] },
  { from: 4, to: 8, rings: [1024, 768] },
];

/** Starts each and cancels it: no backfill is permitted meanwhile. */
export async function startModes(workshop: Workshop): Promise<readonly ModeSample[]> {
  const pairs: { readonly shape: Shape; readonly names: Names }[] = [];
  // One after the other: a node brings up few primaries at a time, and those of the newest index first.
  for (const shape of shapes) {
    const { from, to, rings } = shape;
    const ring = (side: 0 | 1) => (rings === undefined ? {} : { routingShards: rings[side] });
    const names = await makePair(
      workshop,
      `c-mode-${from}-${to}`,
      { shards: from, ...ring(0) },
      { shards: to, ...ring(1) },
    );
    pairs.push({ shape, names });
  }
  return Promise.all(pairs.map(({ shape, names }) => startMode(workshop, shape, names)));
}

async function startMode(
  workshop: Workshop,
  { from, to }: Shape,
  { source, target, alias }: Names,
): Promise<ModeSample> {
  const { environment, api } = workshop;
  const start = (options: object) =>
    api('POST', pathOf(source, '_start'), { target_index: target, alias, options });
  const plain = await start({});
  const consenting =
    plain.status === 200 ? undefined : await start({ accept_data_loss_if_custom_routing_is_used: true });
  if ((consenting ?? plain).status !== 200) return { from, to, plain, consenting, mode: undefined };
  const { shard_routing_mode: mode } = await readStatus(environment.apiUrl, source);
  await cancelAndWait(workshop, source);
  return { from, to, plain, consenting, mode };
}
