import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionError, createHttpClient } from '@aosc/testkit';

/** Id of the one document that the probe writes: the comparison has to know it. */
export const probeId = 'probe';

const pauseMs = 20;
const timeoutMs = 5_000;

/** Writes one document through an alias again and again, and measures how long it was refused for a write block. */
export interface Probe {
  /** stretches without an acknowledged write that met the block; an open stretch lasts until now */
  blocks(): readonly Block[];
  /** @returns whether a write was acknowledged since that time (epoch ms) */
  hasWrittenSince(millis: number): boolean;
  /** Stops writing until it is resumed. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

/** From the first refusal to the next acknowledged write, in ms of `performance.now()`. */
export interface Block {
  readonly from: number;
  readonly to: number;
  /** for how much of it OpenSearch did not answer the probe, or answered something else */
  readonly unreachableMs: number;
}

type Answer = 'acknowledged' | 'blocked' | 'other';

/** @param isAway whether it leaves a node out now */
export function startProbe(urls: readonly string[], alias: string, isAway: (url: string) => boolean): Probe {
  const http = createHttpClient(urls, isAway);
  const ending = new AbortController();
  let paused = false;
  let revision = 0;
  let lastWrite = 0;
  const ended: Block[] = [];
  let block: Block | undefined;

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
      if (block !== undefined) ended.push({ ...block, to: now });
      block = undefined;
      return;
    }
    if (answer === 'blocked') block ??= { from: now, to: now, unreachableMs: 0 };
    if (block === undefined) return;
    const unreachableMs = block.unreachableMs + (answer === 'other' ? now - begun : 0);
    block = { ...block, to: now, unreachableMs };
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
    blocks: () => (block === undefined ? ended : [...ended, block]),
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
