import { resultFlags, runTool, say } from '../support/long-test';
import { firstSeed, type Values, whole } from '../support/tool-flags';
import { startArena } from './arena';
import { drawStart, runStarts } from './run';

const flags = {
  starts: whole('how many starts are sent', 1, 20_000),
  seed: whole('from which they follow (default: from the clock)', 0),
  show: whole('prints the start of that number and sends nothing', 0),
  keep: resultFlags('hostile', 'run').keep,
};

async function run({ starts, show, ...flagged }: Values<typeof flags>) {
  const seed = firstSeed(flagged.seed);
  if (show !== undefined) {
    say(JSON.stringify(drawStart(seed, show), undefined, 2));
    return { isWrong: false };
  }
  say(`seed ${seed}, ${starts} starts`);
  const arena = await startArena();
  try {
    const outcome = await arena.environment.keepingLogs(() =>
      runStarts(arena, { seed, starts, report: (done) => say(`${new Date().toISOString()} ${done} starts`) }),
    );
    const statuses = [...outcome.statuses].toSorted(([a], [b]) => a - b);
    say(`${starts} starts, ${outcome.asFarAsTheCluster} of them judged by the cluster itself`);
    for (const [status, count] of statuses) say(`  ${status}: ${count}`);
    return { isWrong: false, figures: { starts, ...Object.fromEntries(statuses) } };
  } finally {
    await arena.stop();
  }
}

runTool({
  name: 'hostile',
  about: `Starts grown from OpenSearch's whole query DSL, scripts and names, by a key with the role operate and the pattern a-*.
It ends at the first answer that may not be, at the first thing that was read or changed elsewhere, or when the node is
another one or busy afterwards.`,
  flags,
  run,
});
