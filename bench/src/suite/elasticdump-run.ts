import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type ProcessCost, readProcessCost } from '@aosc/local-stack';
import type { HttpClient } from '@aosc/testkit';
import { expectFullTarget, readClusterCpuSeconds, reset, source, target } from '../cluster';
import type { CopyTask } from '../transform';
import type { CopyRun } from './results';
import { wholeCopy } from './whole-copy';

/** As fast as its options make it: by default it takes 100 documents at a time and sends one bulk after the other. */
const speed = ['--limit=5000', '--concurrency=4', '--noRefresh'] as const;
const lookMs = 250;
const keptComplaint = 500;

/**
 * One process of elasticdump, from its start to its end.
 * @param program what Node is to run
 * @throws Error when it fails, or has not copied everything
 */
export async function runElasticdump(
  http: HttpClient,
  { program, url }: { readonly program: string; readonly url: string },
  task: CopyTask,
  round: number,
  signal: AbortSignal,
): Promise<CopyRun> {
  await reset(http, task, signal);
  const cpuBefore = await readClusterCpuSeconds(http);
  const startedAt = performance.now();
  const cost = await runToEnd(
    [program, `--input=${url}/${source}`, `--output=${url}/${target}`, '--type=data', ...speed],
    signal,
  );
  const elapsedMs = performance.now() - startedAt;
  await expectFullTarget(http, task.documents);
  const clusterCpuSeconds = (await readClusterCpuSeconds(http)) - cpuBefore;
  return wholeCopy({
    contestant: 'elasticdump',
    round,
    elapsedMs,
    docsPerSecond: (task.documents / elapsedMs) * 1000,
    clusterCpuSeconds,
    cpuSeconds: cost && { elasticdump: cost.cpuSeconds },
    peakBytes: cost && { elasticdump: cost.peakBytes },
  });
}

/** @returns what the process had cost when it was last looked at: a process that has ended tells nothing any more */
async function runToEnd(args: readonly string[], signal: AbortSignal): Promise<ProcessCost | undefined> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], signal });
  let complaint = '';
  const keep = (chunk: Buffer): void => {
    complaint = `${complaint}${chunk.toString('utf8')}`.slice(-keptComplaint);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  let cost: ProcessCost | undefined;
  const look = setInterval(() => {
    if (child.pid === undefined) return;
    void readProcessCost(child.pid).then((read) => (cost = read ?? cost));
  }, lookMs);
  try {
    await once(child, 'close');
  } finally {
    clearInterval(look);
  }
  if (child.exitCode !== 0) {
    throw new Error(`elasticdump ended with ${child.exitCode ?? child.signalCode ?? '?'}: ${complaint}`);
  }
  return cost;
}
