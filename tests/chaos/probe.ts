import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionError, createHttpClient } from '@aosc/testkit';

/** Id of the one document that the probe writes: the comparison has to know it. */
export const probeId = 'probe';

const pauseMs = 20;
const timeoutMs = 5_000;

/** Writes one document through an alias again and again, and measures how long it was refused for a write block. */
export interface Probe {
  /** of the longest stretch without an acknowledged write in which the block was met; from its first refusal to its end */
  longestBlockMs(): number;
  /** how much of that stretch OpenSearch did not answer, or answered something else */
  unreachableMs(): number;
  /** @returns whether a write was acknowledged since that time (epoch ms) */
  hasWrittenSince(millis: number): boolean;
  /** Stops writing until it is resumed. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

type Answer = 'acknowledged' | 'blocked' | 'other';

export function startProbe(urls: readonly string[], alias: string): Probe {
  const http = createHttpClient(urls);
  const ending = new AbortController();
  let paused = false;
  let revision = 0;
  let lastWrite = 0;
  let longest = { ms: 0, unreachableMs: 0 };
  let stretch: { since: number; unreachableMs: number } | undefined;

  const write = async (): Promise<Answer> => {
    const body = JSON.stringify({ key: probeId, revision: (revision += 1) });
    const path = `/${alias}/_doc/${probeId}?require_alias=true`;
    try {
      const answer = await http.send({ method: 'PUT', path, body, timeoutMs });
      if (answer.status < 300) return 'acknowledged';
      return answer.body.includes('index write (api)') ? 'blocked' : 'other';
    } catch (error) {
      if (error instanceof ConnectionError) return 'other';
      throw error;
    }
  };
  const note = (answer: Answer, begun: number): void => {
    const now = performance.now();
    if (answer === 'acknowledged') {
      lastWrite = Date.now();
      stretch = undefined;
      return;
    }
    if (answer === 'blocked') stretch ??= { since: now, unreachableMs: 0 };
    if (stretch === undefined) return;
    if (answer === 'other') stretch.unreachableMs += now - begun;
    const ms = now - stretch.since;
    if (ms > longest.ms) longest = { ms, unreachableMs: stretch.unreachableMs };
  };
  const loop = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const begun = performance.now();
      if (!paused) note(await write(), begun);
      await sleep(pauseMs);
    }
  };
  const running = loop();
  running.catch(() => undefined);
  return {
    longestBlockMs: () => Math.round(longest.ms),
    unreachableMs: () => Math.round(longest.unreachableMs),
    hasWrittenSince: (millis) => lastWrite > millis,
    pause: () => (paused = true),
    resume: () => (paused = false),
    async stop() {
      ending.abort();
      await running;
      http.close();
    },
  };
}
