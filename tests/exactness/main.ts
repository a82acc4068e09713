import type { Cluster } from '../races/support/cluster';
import { grounds } from '../support/ground';
import { listenForTheEnd, resultFlags, runTool, say } from '../support/long-test';
import { countEach } from '../support/result-lines';
import { runSeries } from '../support/series';
import { choice, given, readSeeds, seedFlags, type Values } from '../support/tool-flags';
import { drawPlan, type Plan } from './plan';
import { readResults } from './read-results';
import { type RunResult, runSeed } from './run';
import { startGround } from './start-cluster';
import { describeRun, summarize } from './summary';

const flags = {
  ...seedFlags,
  ground: choice('GROUND', grounds, 'on this cluster, not as each seed has drawn'),
  movers: given('only plans in which documents move between shards: other seeds are passed over'),
  refusals: given('only plans in which the target refuses documents, likewise'),
  files: given('only plans in which the target is made of files, likewise'),
  content: given('only plans that verify by content or rehearse, likewise'),
  ...resultFlags('exactness', 'run'),
  summary: given('runs nothing: adds up the runs in the results file, by outcome'),
};

function* drawSeeds(
  first: number,
  { movers, refusals, files, content }: Values<typeof flags>,
): Generator<number> {
  for (let seed = first; ; seed += 1) {
    const plan = drawPlan(seed);
    const isWanted = (!movers || plan.movers > 0) && (!files || plan.byFiles);
    const isVerified = plan.verifies !== 'count';
    if (isWanted && (!refusals || plan.refuses !== 'none') && (!content || isVerified)) yield seed;
  }
}

async function run(values: Values<typeof flags>) {
  const { first, runs } = readSeeds(values);
  if (values.summary) {
    say(summarize(readResults(values.results)));
    return { isWrong: false };
  }
  const seeds = drawSeeds(first, values);
  const plans = Array.from({ length: runs }, () => drawPlan(Number(seeds.next().value), values.ground));
  say(`seeds ${first} to ${plans.at(-1)?.seed ?? first}`);
  const giveUp = new AbortController();
  const stopping = listenForTheEnd(giveUp);
  const done = await runSeries<Plan, Cluster, RunResult>({
    // Those of one ground follow each other: it takes as long to start as some runs.
    plans: grounds.flatMap((each) => plans.filter((plan) => plan.ground === each)),
    groundOf: (plan) => plan.ground,
    start: (plan) => startGround(plan.ground),
    run: (cluster, plan) => runSeed(cluster, plan.seed, plan.ground, giveUp.signal),
    results: values.results,
    describe: describeRun,
    isOver: () => stopping.aborted,
  });
  say(summarize(done));
  const wrong = done.filter(({ outcome }) => outcome === 'wrong');
  return {
    isWrong: wrong.length > 0,
    replays: wrong.map(({ seed }) => `--seed ${seed}`),
    figures: { runs: done.length, ...countEach(done.map(({ outcome }) => outcome)) },
  };
}

runTool({
  name: 'exactness',
  about: 'Random migrations by the steps of the service, judged document by document.',
  flags,
  notes:
    'SIGINT, SIGTERM and SIGHUP let the run in hand come to its end; a second one records it as interrupted.',
  run,
});
