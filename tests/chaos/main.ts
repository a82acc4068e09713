import { grounds } from '../support/ground';
import { listenForTheEnd, resultFlags, runTool, say } from '../support/long-test';
import { countEach } from '../support/result-lines';
import { runSeries } from '../support/series';
import { choice, given, readSeeds, seedFlags, text, type Values } from '../support/tool-flags';
import { type Arena, keepLogs, startArena } from './arena';
import { describeLate } from './late-answers';
import { describePlan, drawPlan, type Plan } from './plan';
import { readResults, renderReport } from './report';
import { describeBroken, type RunResult, runPlan } from './run';

const flags = {
  ...seedFlags,
  fault: text('NAME', 'only this fault, or several: NAME,NAME'),
  phase: text('PHASE', 'only in this phase'),
  files: given('the target is made of files wherever it can be'),
  content: given('only plans that verify by content or rehearse: other seeds are passed over'),
  ground: choice('GROUND', grounds, 'on this cluster, not as drawn'),
  ...resultFlags('chaos', 'run'),
};

function* drawPlans(first: number, { content, ...chosen }: Values<typeof flags>): Generator<Plan> {
  for (let seed = first; ; seed += 1) {
    const plan = drawPlan(seed, chosen);
    if (!content || plan.verifies !== 'count') yield plan;
  }
}

async function run(values: Values<typeof flags>) {
  const { first, runs } = readSeeds(values);
  const { files, results } = values;
  const interrupted = listenForTheEnd();
  const drawn = drawPlans(first, values);
  const plans = Array.from({ length: runs }, (): Plan => drawn.next().value as Plan);
  say(`seeds ${first} to ${plans.at(-1)?.seed ?? first}`);
  const done = await runSeries<Plan, Arena, RunResult>({
    // Those of one ground follow each other: it takes as long to start as a run.
    plans: grounds.flatMap((each) => plans.filter((plan) => plan.ground === each)),
    groundOf: (plan) => plan.ground,
    start: (plan) => startArena(plan.ground),
    run: runOne,
    results,
    describePlan: (plan) => `seed ${plan.seed}: ${describePlan(plan)}`,
    describe: describeResult,
    keepLogs,
    isOver: () => interrupted.aborted,
  });
  const wrong = done.filter(({ problems }) => problems.length > 0);
  const longestBlockMs = Math.max(0, ...done.map((result) => result.longestBlockMs));
  const ends = countEach(done.map(({ end }) => end));
  return {
    isWrong: wrong.length > 0,
    replays: wrong.map(({ seed }) => `--seed ${seed}${files ? ' --files' : ''}`),
    figures: { runs: done.length, wrong: wrong.length, longestBlockMs, ...ends },
  };
}

/** A migration that stands still can break a run, and what a fault has broken for good. */
async function runOne(arena: Arena, plan: Plan): Promise<RunResult> {
  try {
    const result = await runPlan(arena, plan);
    if (result.problems.length === 0) await arena.restore();
    return result;
  } catch (error) {
    return describeBroken(plan, error);
  }
}

function describeResult(result: RunResult): string {
  const { end, reason, phase, elapsedMs, faultMs, settledMs, longestBlockMs, late, problems } = result;
  const seconds = (ms: number): string => (ms / 1000).toFixed(1);
  return [
    `  ${problems.length > 0 ? 'WRONG' : 'ok'}: struck in ${phase} for ${seconds(faultMs)} s, ${end} ${seconds(settledMs)} s later, ` +
      `longest block ${seconds(longestBlockMs)} s, ${seconds(elapsedMs)} s in all${reason === undefined ? '' : `; ${reason}`}`,
    ...(late === undefined ? [] : [`    ${describeLate(late)}`]),
  ].join('\n');
}

runTool({
  name: 'chaos',
  about: 'Migrations under writers, each with one fault at a random moment, judged document by document.',
  flags,
  report: (results) => renderReport(readResults(results)),
  run,
});
