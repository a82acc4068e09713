import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readCommit } from '@aosc/testkit';
import { type Arena, keepLogs, startArena } from './arena';
import { describeLate } from './late-answers';
import { describePlan, drawPlan } from './plan';
import { readResults, renderReport } from './report';
import { describeBroken, type RunResult, runPlan } from './run';
import {
  exitWrong,
  listenForTheEnd,
  parseFlags,
  parseSeeds,
  runTool,
  say,
  UsageError,
} from '../support/long-test';
import { countEach, keepCampaign, keepUsage } from '../support/campaign';
import { grounds, parseGround } from '../support/ground';
import { writePage } from '../support/page';

const usage = `npm run chaos -- [options]

  --runs N         migrations to run, each with one fault (default 20; 1 with --seed)
  --seed S         the first run's seed; the others follow (default: from the clock)
  --fault NAME     only this fault, or several: NAME,NAME
  --phase PHASE    only in this phase
  --files          the target is made of files wherever it can be
  --ground GROUND  on this cluster: ${grounds.join(', ')} (default: as drawn)
  --results FILE   one line of JSON is added to it for each run (default .results/chaos.jsonl)
  --report         writes docs/reliability/chaos.md from the results, and runs nothing
${keepUsage}
  --help           show this`;
const page = join(__dirname, '../../docs/reliability/chaos.md');

function parseOptions(args: readonly string[]) {
  const flags = parseFlags(args, {
    runs: { type: 'string' },
    seed: { type: 'string' },
    fault: { type: 'string' },
    phase: { type: 'string' },
    ground: { type: 'string' },
    files: { type: 'boolean', default: false },
    results: { type: 'string', default: '.results/chaos.jsonl' },
    report: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  });
  const { fault, phase, files, help, report, keep } = flags;
  const ground = parseGround(flags.ground);
  return {
    ...parseSeeds(flags),
    fault,
    phase,
    files,
    ground,
    help,
    report,
    keep,
    results: resolve(flags.results),
  };
}

async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  if (options.help) {
    say(usage);
    return 0;
  }
  if (options.report) return writeReport(options.results);
  return run(options);
}

async function writeReport(results: string): Promise<number> {
  if (!existsSync(results)) throw new UsageError(`there is no ${results}: run some first`);
  await writePage(page, renderReport(readResults(results)));
  return 0;
}

async function run(options: ReturnType<typeof parseOptions>): Promise<number> {
  const { first, runs, results, fault, phase, files, ground } = options;
  mkdirSync(dirname(results), { recursive: true });
  say(`seeds ${first} to ${first + runs - 1}`);
  const interrupted = listenForTheEnd();
  const done: RunResult[] = [];
  const wrong: number[] = [];
  let arena: Arena | undefined;
  const plans = Array.from({ length: runs }, (_, n) => drawPlan(first + n, { fault, phase, ground, files }));
  try {
    // Those of one ground follow each other: it takes as long to start as a run.
    for (const plan of grounds.flatMap((each) => plans.filter((drawn) => drawn.ground === each))) {
      if (interrupted.aborted) break;
      const { seed } = plan;
      if (arena !== undefined && arena.ground !== plan.ground) {
        await arena.stop();
        arena = undefined;
      }
      const here: Arena = arena ?? (await startArena(plan.ground));
      arena = here;
      say(`seed ${seed}: ${describePlan(plan)}`);
      try {
        const result = await runPlan(here, plan);
        done.push(result);
        appendFileSync(results, `${JSON.stringify(result)}\n`);
        say(describeResult(result));
        if (result.problems.length > 0) {
          wrong.push(seed);
          say(`  logs: ${await keepLogs(here)}`);
        }
        await here.restore();
      } catch (error) {
        // A migration that stands still can be the cause. What a fault has broken for good is replaced as a whole.
        const result = describeBroken(plan, error);
        done.push(result);
        appendFileSync(results, `${JSON.stringify(result)}\n`);
        wrong.push(seed);
        say(`${describeResult(result)}\n  the servers are started again`);
        say(`  logs: ${await keepLogs(here)}`);
        arena = undefined;
        await here.stop();
      }
    }
  } finally {
    await arena?.stop();
  }
  if (options.keep) keepCampaign('chaos', readCommit(), figuresOf(done, wrong.length));
  for (const seed of wrong) say(`wrong: npm run chaos -- --seed ${seed}${options.files ? ' --files' : ''}`);
  return wrong.length > 0 ? exitWrong : 0;
}

function figuresOf(done: readonly RunResult[], wrong: number): Readonly<Record<string, number>> {
  const longest = Math.max(0, ...done.map(({ longestBlockMs }) => longestBlockMs));
  return { runs: done.length, wrong, longestBlockMs: longest, ...countEach(done.map(({ end }) => end)) };
}

function describeResult(result: RunResult): string {
  const { end, reason, phase, elapsedMs, faultMs, settledMs, longestBlockMs, late, problems } = result;
  const seconds = (ms: number): string => (ms / 1000).toFixed(1);
  return [
    `  ${problems.length > 0 ? 'WRONG' : 'ok'}: struck in ${phase} for ${seconds(faultMs)} s, ${end} ${seconds(settledMs)} s later, ` +
      `longest block ${seconds(longestBlockMs)} s, ${seconds(elapsedMs)} s in all${reason === undefined ? '' : `; ${reason}`}`,
    ...(late === undefined ? [] : [`    ${describeLate(late)}`]),
    ...problems.map((problem) => `    ${problem}`),
  ].join('\n');
}

runTool(usage, main);
