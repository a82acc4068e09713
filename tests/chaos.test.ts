import { type Arena, startArena } from './chaos/arena';
import { drawPlan } from './chaos/plan';
import { runPlan } from './chaos/run';

jest.setTimeout(600_000);

let arena: Arena;
beforeAll(async () => {
  arena = await startArena();
});
afterEach(() => arena.restore());
afterAll(() => arena.stop());

/** A few of the faults that `npm run chaos` goes through in every phase. */
test.each([
  { seed: 1, fault: 'worker_kill', phase: 'CATCHING_UP' },
  { seed: 2, fault: 'scheduler_pause', phase: 'CUTTING_OVER' },
  { seed: 3, fault: 'redis_out_of_memory', phase: 'BACKFILLING' },
  { seed: 4, fault: 'snapshots_closed', phase: 'CONVERGING' },
])('$fault in $phase: exact, and nothing stands still or is left', async ({ seed, fault, phase }) => {
  const { problems } = await arena.environment.keepingLogs(() =>
    runPlan(arena, drawPlan(seed, { fault, phase, ground: 'plain' })),
  );
  expect(problems).toEqual([]);
});
