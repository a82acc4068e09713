import { timeLimit } from '@aosc/signals';
import type { Service } from '@aosc/stack';
import { createHttpClient, readStatus, terminalPhases } from '@aosc/testkit';
import { byProcess, readCosts } from '../aosc-run';
import { createSource, expectFullTarget, readVersion, reset, source } from '../cluster';
import { noteCircumstances } from '../machine';
import { applyProfile, highThroughput } from '../profiles';
import { group } from '../report';
import { runOnStack } from '../run-on-stack';
import { toFigures } from './figures';
import type { StatusOptions } from './options';
import { poll } from './poller';
import type { StatusFigures, StatusResult } from './results';
import { startRun } from '../start-run';

const goalP99Ms = 250;
/** The end is looked for in answers that came anyway, so that looking is no load. */
const isEnded = new RegExp(`"phase":"(?:${terminalPhases.join('|')})"`);

/** Status requests during a migration, and then the same of the ended one. */
export async function runStatusBench(
  options: StatusOptions,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<StatusResult> {
  const describeCircumstances = noteCircumstances();
  const { documents, sourceShards, targetShards, rate: requestsPerSecond } = options;
  const measured = await runOnStack({ say, signal }, async (openSearchUrls, service, alive) => {
    const http = createHttpClient(openSearchUrls);
    try {
      say(`Loading ${group(documents)} documents into ${sourceShards} shards`);
      await createSource(http, options, alive);
      await reset(http, options, alive);
      await applyProfile(service.apiUrl, highThroughput);
      await startRun(service.apiUrl);
      say('Asking for the status while the migration runs');
      const running = await pollUntilEnded(options, service, alive);
      const { phase, error_message: reason = '' } = await readStatus(service.apiUrl, source, alive);
      if (phase !== 'COMPLETED') throw new Error(`${phase}: ${reason}`);
      await expectFullTarget(http, documents);
      say(`Asking for the status of the ended migration for ${options.idleSeconds} s`);
      const idle = await measurePolls(options, service, timeLimit(options.idleSeconds * 1000, alive));
      alive.throwIfAborted();
      return { running, idle, openSearch: await readVersion(http) };
    } finally {
      http.close();
    }
  });
  return {
    kind: 'status',
    ...describeCircumstances(measured.openSearch),
    documents,
    sourceShards,
    targetShards,
    requestsPerSecond,
    goalP99Ms,
    settings: highThroughput,
    running: measured.running,
    idle: measured.idle,
  };
}

async function pollUntilEnded(
  options: StatusOptions,
  service: Service,
  alive: AbortSignal,
): Promise<StatusFigures> {
  const ended = new AbortController();
  const until = AbortSignal.any([ended.signal, alive]);
  const figures = await measurePolls(options, service, until, (body) => {
    if (readPhase(body)) ended.abort();
  });
  alive.throwIfAborted();
  return figures;
}

/** The migration's own phase stands before its shards; reading the whole document would take the poller's time. */
function readPhase(body: Buffer): boolean {
  const shards = body.indexOf('"shards":');
  return isEnded.test(body.toString('utf8', 0, shards === -1 ? body.length : shards));
}

async function measurePolls(
  { rate }: StatusOptions,
  service: Service,
  until: AbortSignal,
  onBody?: (body: Buffer) => void,
): Promise<StatusFigures> {
  const before = await readCosts(service);
  const begin = performance.now();
  const polls = await poll({
    url: `${service.apiUrl}/_plugins/_aosc/${source}/_status`,
    rate,
    until,
    ...(onBody === undefined ? {} : { onBody }),
  });
  const seconds = (performance.now() - begin) / 1000;
  const cpu = byProcess(
    await readCosts(service),
    (cost, name) => cost.cpuSeconds - (before?.[name].cpuSeconds ?? 0),
  );
  return toFigures(polls, seconds, before === undefined ? undefined : cpu);
}
