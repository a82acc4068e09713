import { availableParallelism, loadavg } from 'node:os';
import { keepCampaign, writeReport } from './campaign';
import { describeFlags, type Flags, given, readFlags, text, UsageError, type Values } from './tool-flags';

/** What a long test has come to. */
interface Verdict {
  readonly isWrong: boolean;
  /** flags that run what was wrong again */
  readonly replays?: readonly string[];
  /** for the index of campaigns, by name */
  readonly figures?: Readonly<Record<string, number | string>>;
}

/** A test that lasts as long as its user says: exactness, crash points, chaos, soak and others. */
export interface Tool<All extends Flags> {
  /** of its script: `npm run NAME` */
  readonly name: string;
  readonly about: string;
  readonly flags: All;
  /** stands below the flags in the help */
  readonly notes?: string;
  /** For `--report`: what stands below the mark in the tool's page. @param results the file */
  readonly report?: (results: string) => string;
  readonly run: (values: Values<All>) => Promise<Verdict>;
}

const exitWrong = 1;
const exitUsage = 2;

/** For tools whose runs add to a file of results. @param each what a line is about */
export const resultFlags = (name: string, each: string) => ({
  results: text('FILE', `one line of JSON is added to it for each ${each}`, `.results/${name}.jsonl`),
  keep: given('adds a line about this run to docs/reliability/campaigns.jsonl'),
});

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Figures mean little without it. */
export function sayLoad(): void {
  const load = loadavg().map((one) => one.toFixed(1));
  say(`${availableParallelism()} processors, load ${load.join(' ')}`);
}

/**
 * @param giveUp aborted by a second signal, which otherwise ends the process at once
 * @returns aborted by the first SIGINT, SIGTERM or SIGHUP, for a tool that ends after the run in hand
 */
export function listenForTheEnd(giveUp?: AbortController): AbortSignal {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const stopping = new AbortController();
  const interrupt = (): void => {
    say(stopping.signal.aborted ? 'Giving this run up' : 'Stopping after this run');
    (stopping.signal.aborted ? giveUp : stopping)?.abort(new Error('interrupted'));
    if (giveUp === undefined) for (const signal of signals) process.off(signal, interrupt);
  };
  for (const signal of signals) process.on(signal, interrupt);
  return stopping.signal;
}

/** Runs the tool by the command line of this process, and sets its exit code. */
export function runTool<All extends Flags>(tool: Tool<All>): void {
  runWith(tool, process.argv.slice(2)).then(
    (code) => (process.exitCode = code),
    (error: unknown) => {
      console.error(error instanceof UsageError ? `${error.message}\n\n${describe(tool)}` : error);
      process.exitCode = error instanceof UsageError ? exitUsage : exitWrong;
    },
  );
}

function allFlags<All extends Flags>({ name, flags, report }: Tool<All>): Flags {
  const reporting = {
    report: given(`writes docs/reliability/${name}.md from the results, and runs nothing`),
  };
  return { ...flags, ...(report && reporting), help: given('show this') };
}

function describe<All extends Flags>(tool: Tool<All>): string {
  const { name, about, notes } = tool;
  const help = [`npm run ${name} -- [options]`, about, describeFlags(allFlags(tool)), notes];
  return help.filter((part) => part !== undefined).join('\n\n');
}

async function runWith<All extends Flags>(tool: Tool<All>, args: readonly string[]): Promise<number> {
  const { name, report } = tool;
  const values = readFlags(allFlags(tool), args);
  if (values.help === true) say(describe(tool));
  else if (values.report === true) say(await writeReport(name, report?.(String(values.results)) ?? ''));
  else {
    const { isWrong, replays = [], figures = {} } = await tool.run(values as Values<All>);
    if (values.keep === true) say(`kept in ${keepCampaign(name, figures)}`);
    for (const replay of replays) say(`wrong: npm run ${name} -- ${replay}`);
    if (isWrong) return exitWrong;
  }
  return 0;
}
