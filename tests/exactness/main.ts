import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { readCommit } from '@aosc/testkit';
import type { Cluster } from '../races/support/cluster';
import { startGround } from './start-cluster';
import { type Ground, grounds, parseGround } from '../support/ground';
import { type RunResult, runSeed } from './run';
import { drawPlan, type Plan } from './plan';
import { readResults } from './read-results';
import { describeProblems, describeRun, summarize } from './summary';
import { countEach, keepCampaign, keepUsage } from '../support/campaign';
import { exitWrong, parseFlags, parseSeeds, runTool, say } from '../support/long-test';

const usage = `npm run exactness -- [options]

  --runs N         migrations to run (default 20; 1 with --seed)
  --seed S         the first run's seed; the others follow (default: from the clock)
  --ground GROUND  on this cluster: ${grounds.join(', ')} (default: as each seed has drawn)
  --movers         only plans in which documents move between shards: other seeds are passed over
  --files          only plans in which the target is made of files, likewise
  --results FILE   one line of JSON is added to it for each run (default .results/exactness.jsonl)
  --summary        run nothing: add up the runs in the results file, by outcome
${keepUsage}
  --help           show this

SIGINT, SIGTERM and SIGHUP let the run in hand come to its end; a second one records it as interrupted.`;

function parseOptions(args: readonly string[]) {
  const flags = parseFlags(args, {
    runs: { type: 'string' },
    seed: { type: 'string' },
    movers: { type: 'boolean', default: false },
    ground: { type: 'string' },
    files: { type: 'boolean', default: false },
    results: { type: 'string', default: '.results/exactness.jsonl' },
    summary: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  });
  const { movers, files, summary, keep, help } = flags;
  const ground = parseGround(flags.ground);
  const isWanted = (plan: Plan) => (!movers || plan.movers > 0) && (!files || plan.byFiles);
  return { ...parseSeeds(flags), results: resolve(flags.results), ground, isWanted, summary, keep, help };
}

function drawSeeds(first: number, count: number, isWanted: (plan: Plan) => boolean): readonly number[] {
  const seeds: number[] = [];
  for (let seed = first; seeds.length < count; seed++) if (isWanted(drawPlan(seed))) seeds.push(seed);
  return seeds;
}

async function main(args: readonly string[]): Promise<number> {
  const { first, runs, ground, isWanted, results, summary, keep, help } = parseOptions(args);
  if (help) {
    say(usage);
    return 0;
  }
  if (summary) {
    say(summarize(readResults(readFileSync(results, 'utf8'))));
    return 0;
  }
  mkdirSync(dirname(results), { recursive: true });
  const seeds = drawSeeds(first, runs, isWanted);
  say(`seeds ${first} to ${seeds.at(-1)}`);
  const stopping = new AbortController();
  const interrupted = new AbortController();
  const interrupt = (): void => {
    say(stopping.signal.aborted ? 'Giving this run up' : 'Stopping after this run');
    (stopping.signal.aborted ? interrupted : stopping).abort(new Error('interrupted'));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
  const done: RunResult[] = [];
  const groundOf = (seed: number): Ground => drawPlan(seed, ground).ground;
  // Those of one ground follow each other: it takes as long to start as some runs.
  const inOrder = grounds.flatMap((each) => seeds.filter((seed) => groundOf(seed) === each));
  let on: { readonly ground: Ground; readonly cluster: Cluster } | undefined;
  try {
    for (const seed of inOrder) {
      if (stopping.signal.aborted) break;
      if (on?.ground !== groundOf(seed)) {
        await on?.cluster.stop();
        on = undefined;
        on = { ground: groundOf(seed), cluster: await startGround(groundOf(seed)) };
      }
      const result = await runSeed(on.cluster, seed, on.ground, interrupted.signal);
      done.push(result);
      appendFileSync(results, `${JSON.stringify(result)}\n`);
      say(describeRun(result));
      if (result.problems.length > 0) say(describeProblems(result));
    }
  } finally {
    await on?.cluster.stop();
  }
  say(summarize(done));
  if (keep) {
    const outcomes = countEach(done.map(({ outcome }) => outcome));
    keepCampaign('exactness', readCommit(), { runs: done.length, ...outcomes });
  }
  const wrong = done.filter(({ outcome }) => outcome === 'wrong');
  for (const result of wrong) say(`wrong: npm run exactness -- --seed ${result.seed}`);
  return wrong.length > 0 ? exitWrong : 0;
}

runTool(usage, main);
