import { shardOf } from '@aosc/domain';
import { createRandom } from '@aosc/testkit';
import { drawMove, drawMovers, settleMove } from './movers';
import { drawPlan } from './plan';
import type { Written } from './write';

const plans = Array.from({ length: 600 }, (_, seed) => drawPlan(seed));
const moving = plans.filter(({ movers }) => movers > 0);

test('at least a third of the plans in BULK_API have documents that move, and no other plan has', () => {
  const bulk = plans.filter(({ mode }) => mode === 'BULK_API');
  expect(moving.length).toBeGreaterThanOrEqual(bulk.length / 3);
  for (const { mode, twins, transform } of moving) {
    expect(mode).toBe('BULK_API');
    expect(twins).toBe(false);
    expect(transform).not.toBe('rewrites_ids');
  }
});

test('each has two homes in the source that are one in the target, and the same seed draws the same', () => {
  for (const plan of moving.slice(0, 60)) {
    const movers = drawMovers(createRandom(plan.seed), plan);
    expect(drawMovers(createRandom(plan.seed), plan)).toEqual(movers);
    expect(movers).toHaveLength(plan.movers);
    for (const { id, routings } of movers) {
      const [first, second] = routings;
      const home = (routing: string | undefined, side: 'source' | 'target') =>
        shardOf({ id, routing }, plan[side]);
      expect(home(first, 'source')).not.toBe(home(second, 'source'));
      expect(home(first, 'target')).toBe(home(second, 'target'));
    }
  }
});

describe('the life of one', () => {
  const [plan] = moving;
  const created: Written = { status: 201, result: 'created', version: 1n, reason: undefined };

  test('it is made elsewhere only after its delete was acknowledged, whatever is refused on the way', () => {
    if (plan === undefined) throw new Error('no plan has one');
    const random = createRandom(3);
    const [mover] = drawMovers(random, plan);
    if (mover === undefined) throw new Error('it has none');
    let alive: { readonly routing: string | undefined } | undefined;
    let moves = 0;
    for (let step = 0; step < 400; step++) {
      const write = drawMove(random, mover, '{}');
      if (alive !== undefined) expect(write.routing).toBe(alive.routing);
      else expect(write.verb).toBe('index');
      const refused = random.next() < 0.2;
      const answer = refused ? { ...created, status: 409 } : created;
      if (settleMove(mover, write, answer)) moves += 1;
      if (refused) continue;
      alive = write.verb === 'delete' ? undefined : { routing: write.routing };
    }
    expect(moves).toBeGreaterThan(20);
  });

  test('a document that another writer has deleted is made elsewhere, too', () => {
    if (plan === undefined) throw new Error('no plan has one');
    const [mover] = drawMovers(createRandom(4), plan);
    if (mover === undefined) throw new Error('it has none');
    const random = createRandom(5);
    const first = drawMove(random, mover, '{}');
    expect(settleMove(mover, first, created)).toBe(false);
    settleMove(mover, { ...first, verb: 'update' }, { ...created, status: 404 });
    const next = drawMove(random, mover, '{}');
    expect(next.verb).toBe('index');
    expect(next.routing).not.toBe(first.routing);
    expect(settleMove(mover, next, created)).toBe(true);
  });
});

test('where no two shards of the source meet in one of the target, they still move', () => {
  const plan = drawPlan(17_263);
  expect([plan.source.shardCount, plan.target.shardCount]).toEqual([2, 6]);
  const movers = drawMovers(createRandom(plan.seed), plan);
  expect(movers.length).toBeGreaterThan(0);
  for (const { id, routings } of movers) {
    const homes = routings.map((routing) => shardOf({ id, routing }, plan.source));
    expect(new Set(homes).size).toBe(2);
  }
});
