import { appendLine } from './result-lines';
import { say } from './long-test';

interface Judged {
  /** what must not be; empty: all is as it must be */
  readonly problems: readonly string[];
}

/** Runs of a long test, one after the other, on servers that the runs of one ground share. */
export interface Series<Plan, Servers extends { stop(): Promise<void> }, Result extends Judged> {
  readonly plans: Iterable<Plan>;
  /** of the servers; a plan that needs others gets others */
  readonly groundOf?: (plan: Plan) => string;
  readonly start: (plan: Plan) => Promise<Servers>;
  readonly run: (servers: Servers, plan: Plan) => Promise<Result>;
  /** the file that gets the lines of each result */
  readonly results: string;
  readonly linesOf?: (result: Result) => readonly object[];
  readonly describePlan?: (plan: Plan) => string;
  readonly describe: (result: Result) => string;
  /** keeps the logs of a run that went wrong. @returns where */
  readonly keepLogs?: (servers: Servers) => Promise<string>;
  /** looked at before each run */
  readonly isOver: () => boolean;
  /** false: servers of a run that went wrong serve no other run, as what has gone wrong may go on */
  readonly keepsServers?: boolean;
}

export async function runSeries<Plan, Servers extends { stop(): Promise<void> }, Result extends Judged>(
  series: Series<Plan, Servers, Result>,
): Promise<readonly Result[]> {
  const { groundOf = () => '', linesOf = (result: Result) => [result] } = series;
  const done: Result[] = [];
  let on: { readonly ground: string; readonly servers: Servers } | undefined;
  const stop = async (): Promise<void> => {
    const old = on?.servers;
    on = undefined;
    await old?.stop();
  };
  try {
    for (const plan of series.plans) {
      if (series.isOver()) break;
      const ground = groundOf(plan);
      if (on !== undefined && on.ground !== ground) await stop();
      on ??= { ground, servers: await series.start(plan) };
      if (series.describePlan) say(series.describePlan(plan));
      const result = await series.run(on.servers, plan);
      done.push(result);
      for (const line of linesOf(result)) appendLine(series.results, line);
      say(series.describe(result));
      for (const problem of result.problems) say(`    ${problem}`);
      if (result.problems.length === 0) continue;
      if (series.keepLogs) say(`  logs: ${await series.keepLogs(on.servers)}`);
      if (series.keepsServers !== true) await stop();
    }
  } finally {
    await stop();
  }
  return done;
}
