import { setTimeout as sleep } from 'node:timers/promises';
import { callJson, type HttpClient } from '@aosc/testkit';
import { dropDeleted, expectFullTarget, readClusterCpuSeconds, reset, source, target } from './cluster';
import { readField, readNumber } from './fields';
import type { ReindexRun } from './results';
import { type CopyTask, expectTransformed } from './transform';

const pollMs = 250;

/**
 * One `_reindex?slices=auto`, timed by its own `took`. It runs as a task: waited for by the request, 3.7.0 answers a
 * long one with more bytes of TASK_RESOURCE_USAGE headers than Node takes.
 * @param size documents of a scroll page
 */
export async function runReindex(
  http: HttpClient,
  task: CopyTask,
  round: number,
  size: number,
  signal: AbortSignal,
): Promise<ReindexRun> {
  await reset(http, task, signal);
  const cpuBefore = await readClusterCpuSeconds(http);
  const { transform } = task;
  const body = {
    source: { index: source, size },
    dest: { index: target },
    ...(transform !== undefined && {
      script: { lang: 'painless', source: transform.source, params: transform.params },
    }),
  };
  const path = '/_reindex?slices=auto&wait_for_completion=false&refresh=false';
  const id = await callJson(http, (answer) => String(readField(answer, 'task')), 'POST', path, body);
  const response = await waitForTask(http, id, signal);
  const failures = readField(response, 'failures');
  const isWhole = Array.isArray(failures) && failures.length === 0;
  if (!isWhole || readNumber(response, 'created') !== task.documents) {
    throw new Error(`_reindex did not copy everything: ${JSON.stringify(response).slice(0, 500)}`);
  }
  await expectFullTarget(http, task.documents);
  if (task.byFiles) await dropDeleted(http, signal);
  const clusterCpuSeconds = (await readClusterCpuSeconds(http)) - cpuBefore;
  await expectTransformed(http, task);
  const elapsedMs = readNumber(response, 'took');
  return {
    kind: 'reindex',
    round,
    size,
    clusterCpuSeconds,
    elapsedMs,
    docsPerSecond: (task.documents / elapsedMs) * 1000,
  };
}

async function waitForTask(http: HttpClient, task: string, signal: AbortSignal): Promise<unknown> {
  for (;;) {
    const answer = await callJson(http, (value) => value, 'GET', `/_tasks/${task}`, undefined, signal);
    if (readField(answer, 'completed') === true) {
      const error = readField(answer, 'error');
      if (error !== undefined) throw new Error(`_reindex failed: ${JSON.stringify(error).slice(0, 500)}`);
      return readField(answer, 'response');
    }
    await sleep(pollMs, undefined, { signal });
  }
}
