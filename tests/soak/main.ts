import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpClient, createRandom, inMegabytes, readCommit } from '@aosc/testkit';
import { type Arena, atRest, keepLogs, startArena } from '../chaos/arena';
import { describePlan, type Plan } from '../chaos/plan';
import { runPlan } from '../chaos/run';
import { listenForTheEnd, resultFlags, runTool, say } from '../support/long-test';
import { countEach } from '../support/result-lines';
import { runSeries } from '../support/series';
import { firstSeed, type Values, whole } from '../support/tool-flags';
import { drawSoakPlan } from './plan';
import { renderReport } from './report';
import {
  describeMedians,
  describeSlope,
  describeVerdict,
  judgeLines,
  readSoaks,
  type SoakLine,
} from './results';
import { takeSample } from './sample';
import { shake } from './shake';

/** Restarts and freezes after each migration, beside the one that may come during it. */
const shakesEach = 3;
const readyPatienceMs = 60_000;
const flags = {
  minutes: whole('how long migrations are begun', 1, 20),
  seed: whole("the first migration's seed; the others follow (default: from the clock)", 0),
  ...resultFlags('soak', 'migration'),
};

async function run({ minutes, seed, results }: Values<typeof flags>) {
  const first = firstSeed(seed);
  const interrupted = listenForTheEnd();
  say(`${minutes} minutes, from seed ${first} on`);
  let deadline = Infinity;
  let isSpoilt = false;
  const begun = { soak: '', firstSeed: first, minutes, commit: readCommit() };
  const lines = await runSeries<Plan, Arena, SoakLine>({
    plans: drawPlans(first),
    start: async () => {
      const arena = await startArena();
      begun.soak = new Date().toISOString();
      deadline = performance.now() + minutes * 60_000;
      return arena;
    },
    run: async (arena, plan) => {
      const line = { ...begun, ...(await runOne(arena, plan)) };
      isSpoilt = line.sample === undefined;
      return line;
    },
    results,
    describePlan: (plan) => `seed ${plan.seed}: ${describePlan(plan)}`,
    describe: describeLine,
    keepLogs,
    // Other servers and processes would say nothing about these.
    keepsServers: true,
    isOver: () => isSpoilt || interrupted.aborted || performance.now() > deadline,
  });
  const verdict = judgeLines(lines);
  tell(lines);
  return {
    isWrong: verdict.problems.length > 0 || verdict.tooShort !== undefined,
    figures: {
      migrations: lines.length,
      ...countEach(lines.map(({ end }) => end)),
      verdict: describeVerdict(verdict),
    },
  };
}

function* drawPlans(first: number): Generator<Plan> {
  for (let seed = first; ; seed += 1) yield drawSoakPlan(seed);
}

/** Every process can work again. @throws when one can not within a minute */
async function untilReady({ environment: { service } }: Arena): Promise<void> {
  // A fault may have started a further scheduler, which has ended since.
  const running = [service.api, ...service.workers, ...service.schedulers].filter((each) => each.isRunning());
  for (const { name, readyUrl } of running) {
    if (readyUrl === undefined) continue;
    const http = createHttpClient([new URL(readyUrl).origin]);
    const deadline = performance.now() + readyPatienceMs;
    const isReady = () =>
      http.send({ method: 'GET', path: '/readyz' }).then(
        ({ status }) => status === 200,
        () => false,
      );
    while (!(await isReady())) {
      if (performance.now() > deadline) throw new Error(`${name} is not ready again`);
      await sleep(200);
    }
    http.close();
  }
}

/** One migration, what is held after it, and everything as it was for the next one. */
async function runOne(
  arena: Arena,
  plan: Plan,
): Promise<Omit<SoakLine, 'soak' | 'firstSeed' | 'minutes' | 'commit'>> {
  const planned = { seed: plan.seed, plan: describePlan(plan), fault: plan.fault.name };
  try {
    const { phase, end, operations, problems } = await runPlan(arena, plan);
    const shaken = await shake(arena, createRandom(plan.seed), shakesEach);
    const { nodes } = arena.environment.stack;
    await arena.ask('GET', `/_cluster/health?wait_for_nodes=${nodes.length}&${atRest}`);
    await untilReady(arena);
    // Before its indices are deleted: OpenSearch would close their snapshots with them.
    const { sample, keys } = await takeSample(arena);
    await arena.restore();
    const found = { phase, end, operations, shaken: [...shaken], problems: [...problems] };
    return { ...planned, ...found, sample, keys: [...keys], at: new Date().toISOString() };
  } catch (error) {
    const problems = [`the run itself broke: ${String(error)}`];
    const found = { phase: plan.phase, end: 'BROKEN', operations: 0, problems };
    return { ...planned, ...found, keys: [], at: new Date().toISOString() };
  }
}

function describeLine({ phase, end, sample, problems }: SoakLine): string {
  const processes = Object.entries(sample?.processes ?? {}).map(
    ([name, { residentBytes, heapUsedBytes, descriptors }]) =>
      `${name} ${inMegabytes(residentBytes)} (heap ${inMegabytes(heapUsedBytes)}), ${descriptors} descriptors`,
  );
  return `  ${problems.length > 0 ? 'WRONG' : 'ok'}: ${phase}, ${end}; ${processes.join('; ')}; ${sample?.redisKeys ?? '?'} keys, ${sample?.snapshots ?? '?'} snapshots`;
}

function tell(lines: readonly SoakLine[]): void {
  const verdict = judgeLines(lines);
  for (const trend of verdict.trends) {
    const told = `${describeMedians(trend).join(' → ')}, ${describeSlope(trend)} with each migration`;
    say(`${trend.of}, ${trend.figure}: ${told}${trend.grows ? ' GROWS' : ''}`);
  }
  say(`keys: ${lines.at(-1)?.keys.join(' ') ?? ''}`);
  for (const problem of verdict.problems) say(`WRONG: ${problem}`);
  say(`${describeVerdict(verdict)} (${lines.length} migrations)`);
}

runTool({
  name: 'soak',
  about:
    'Migrations back to back, with restarts and freezes, and what each process holds after each of them.',
  flags,
  notes:
    "SIGINT ends it after the migration in hand. On Linux only: elsewhere processes don't tell their descriptors.",
  report: (results) => renderReport(readSoaks(results)),
  run,
});
