import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpClient, createRandom, inMegabytes, readCommit } from '@aosc/testkit';
import { type Arena, atRest, keepLogs, startArena } from '../chaos/arena';
import { describePlan, type Plan } from '../chaos/plan';
import { runPlan } from '../chaos/run';
import { countEach, keepCampaign, keepUsage } from '../support/campaign';
import {
  exitWrong,
  listenForTheEnd,
  parseFlags,
  parseSeeds,
  parseWhole,
  runTool,
  say,
  UsageError,
} from '../support/long-test';
import { writePage } from '../support/page';
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

const usage = `npm run soak -- [options]

  --minutes N      how long migrations are begun (default 20)
  --seed S         the first migration's seed; the others follow (default: from the clock)
  --results FILE   one line of JSON is added to it for each migration (default .results/soak.jsonl)
  --report         writes docs/reliability/soak.md from the results, and runs nothing
${keepUsage}
  --help           show this

SIGINT ends it after the migration in hand. On Linux only: elsewhere processes don't tell their descriptors.`;
/** Restarts and freezes after each migration, beside the one that may come during it. */
const shakesEach = 3;
const readyPatienceMs = 60_000;
const report = join(__dirname, '../../docs/reliability/soak.md');

function parseOptions(args: readonly string[]) {
  const flags = parseFlags(args, {
    minutes: { type: 'string', default: '20' },
    seed: { type: 'string' },
    results: { type: 'string', default: '.results/soak.jsonl' },
    report: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  });
  return {
    minutes: parseWhole('--minutes', flags.minutes, 1),
    first: parseSeeds({ seed: flags.seed }).first,
    results: resolve(flags.results),
    report: flags.report,
    keep: flags.keep,
    help: flags.help,
  };
}

async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  if (options.help) {
    say(usage);
    return 0;
  }
  if (options.report) {
    if (!existsSync(options.results)) throw new UsageError(`there is no ${options.results}: run one first`);
    await writePage(report, renderReport(readSoaks(options.results)));
    return 0;
  }
  const lines = await soak(options);
  if (options.keep) keepCampaign('soak', readCommit(), figuresOf(lines));
  return tell(lines);
}

function figuresOf(lines: readonly SoakLine[]): Readonly<Record<string, number | string>> {
  return {
    migrations: lines.length,
    ...countEach(lines.map(({ end }) => end)),
    verdict: describeVerdict(judgeLines(lines)),
  };
}

/** @returns how each migration ended */
async function soak({
  minutes,
  first,
  results,
}: ReturnType<typeof parseOptions>): Promise<readonly SoakLine[]> {
  mkdirSync(dirname(results), { recursive: true });
  const interrupted = listenForTheEnd();
  const lines: SoakLine[] = [];
  const arena = await startArena();
  try {
    const begun = { soak: new Date().toISOString(), firstSeed: first, minutes, commit: readCommit() };
    say(`${minutes} minutes, from seed ${first} on`);
    const deadline = performance.now() + minutes * 60_000;
    for (let seed = first; performance.now() < deadline && !interrupted.aborted; seed += 1) {
      const plan = drawSoakPlan(seed);
      say(`seed ${seed}: ${describePlan(plan)}`);
      const line = { ...begun, ...(await runOne(arena, plan)) };
      lines.push(line);
      appendFileSync(results, `${JSON.stringify(line)}\n`);
      say(describeLine(line));
      if (line.problems.length > 0) say(`  logs: ${await keepLogs(arena)}`);
      // Other servers and processes would say nothing about these.
      if (line.sample === undefined) break;
    }
  } finally {
    await arena.stop();
  }
  return lines;
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
  const { seed, fault } = plan;
  try {
    const { phase, end, operations, problems } = await runPlan(arena, plan);
    const shaken = await shake(arena, createRandom(seed), shakesEach);
    await arena.ask(
      'GET',
      `/_cluster/health?wait_for_nodes=${arena.environment.stack.nodes.length}&${atRest}`,
    );
    await untilReady(arena);
    // Before its indices are deleted: OpenSearch would close their snapshots with them.
    const { sample, keys } = await takeSample(arena);
    await arena.restore();
    return {
      seed,
      plan: describePlan(plan),
      fault: fault.name,
      phase,
      end,
      operations,
      shaken: [...shaken],
      problems: [...problems],
      sample,
      keys: [...keys],
      at: new Date().toISOString(),
    };
  } catch (error) {
    return {
      seed,
      plan: describePlan(plan),
      fault: fault.name,
      phase: plan.phase,
      end: 'BROKEN',
      operations: 0,
      problems: [`the run itself broke: ${String(error)}`],
      keys: [],
      at: new Date().toISOString(),
    };
  }
}

function describeLine({ phase, end, sample, problems }: SoakLine): string {
  const processes = Object.entries(sample?.processes ?? {}).map(
    ([name, { residentBytes, heapUsedBytes, descriptors }]) =>
      `${name} ${inMegabytes(residentBytes)} (heap ${inMegabytes(heapUsedBytes)}), ${descriptors} descriptors`,
  );
  return [
    `  ${problems.length > 0 ? 'WRONG' : 'ok'}: ${phase}, ${end}; ${processes.join('; ')}; ${sample?.redisKeys ?? '?'} keys, ${sample?.snapshots ?? '?'} snapshots`,
    ...problems.map((problem) => `    ${problem}`),
  ].join('\n');
}

/** @returns the exit code: 0 only when it stays as it is */
function tell(lines: readonly SoakLine[]): number {
  const verdict = judgeLines(lines);
  const { trends, problems, tooShort } = verdict;
  for (const trend of trends) {
    const told = `${describeMedians(trend).join(' → ')}, ${describeSlope(trend)} with each migration`;
    say(`${trend.of}, ${trend.figure}: ${told}${trend.grows ? ' GROWS' : ''}`);
  }
  say(`keys: ${lines.at(-1)?.keys.join(' ') ?? ''}`);
  for (const problem of problems) say(`WRONG: ${problem}`);
  say(`${describeVerdict(verdict)} (${lines.length} migrations)`);
  return problems.length > 0 || tooShort !== undefined ? exitWrong : 0;
}

runTool(usage, main);
