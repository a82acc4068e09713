import { readCommit } from '@aosc/testkit';
import { keepCampaign, keepUsage } from '../support/campaign';
import { parseFlags, parseSeeds, parseWhole, runTool, say } from '../support/long-test';
import { startArena } from './arena';
import { drawStart, runStarts } from './run';

const usage = `npm run hostile -- [options]

  --starts N       how many starts are sent (default 20000)
  --seed S         from which they follow (default: from the clock)
  --show N         prints the start of that number and sends nothing
${keepUsage}
  --help           show this

Starts grown from OpenSearch's whole query DSL, scripts and names, by a key with the role operate and the pattern a-*.
It ends at the first answer that may not be, at the first thing that was read or changed elsewhere, or when the node is
another one or busy afterwards.`;

async function main(args: readonly string[]): Promise<number> {
  const flags = parseFlags(args, {
    starts: { type: 'string', default: '20000' },
    seed: { type: 'string' },
    show: { type: 'string' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  });
  if (flags.help) {
    say(usage);
    return 0;
  }
  const starts = parseWhole('--starts', flags.starts, 1);
  const { first: seed } = parseSeeds({ seed: flags.seed });
  if (flags.show !== undefined) {
    say(JSON.stringify(drawStart(seed, parseWhole('--show', flags.show)), undefined, 2));
    return 0;
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
    if (flags.keep) keepCampaign('hostile', readCommit(), { starts, ...Object.fromEntries(statuses) });
    return 0;
  } finally {
    await arena.stop();
  }
}

runTool(usage, main);
