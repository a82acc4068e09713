import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** One status request and what came of it. */
export interface Poll {
  /** from the moment it was due to the last byte of the answer, whenever it was sent */
  readonly latencyMs: number;
  /** undefined: no complete answer */
  readonly status: number | undefined;
  /** head and body of the answer, without what TCP adds */
  readonly bytes: number;
  /** it carried the tag of the answer before */
  readonly conditional: boolean;
}

export interface PollerOptions {
  /** of the status */
  readonly url: string;
  /** requests a second: each comes from another client, and each client asks once a second */
  readonly rate: number;
  /** has each body that came; runs after the time was taken */
  readonly onBody?: (body: Buffer) => void;
  /** ends it; requests under way are waited for */
  readonly until: AbortSignal;
}

const timeoutMs = 30_000;

/**
 * Asks at a fixed rate, however slow the answers are: a request that had to wait for another one counts its wait.
 * Every second client sends the tag of its last answer.
 */
export async function poll({ url, rate, onBody, until }: PollerOptions): Promise<readonly Poll[]> {
  const agent = new Agent({ keepAlive: true });
  const tags = new Map<number, string>();
  const polls: Poll[] = [];
  const running = new Set<Promise<void>>();

  const ask = async (dueAt: number, client: number): Promise<void> => {
    const tag = client % 2 === 0 ? undefined : tags.get(client);
    const answer = await get(url, agent, tag).catch(() => undefined);
    polls.push({
      latencyMs: performance.now() - dueAt,
      status: answer?.status,
      bytes: answer?.bytes ?? 0,
      conditional: tag !== undefined,
    });
    if (answer?.etag !== undefined) tags.set(client, answer.etag);
    if (answer?.status === 200) onBody?.(answer.body);
  };

  const begin = performance.now();
  for (let count = 0; !until.aborted; count += 1) {
    const dueAt = begin + (count * 1000) / rate;
    const waitMs = dueAt - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal: until }).catch(() => undefined);
    // Read again after the wait.
    if (isOver(until)) break;
    const asked: Promise<void> = ask(dueAt, count % rate).finally(() => running.delete(asked));
    running.add(asked);
  }
  await Promise.all(running);
  agent.destroy();
  return polls;
}

function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

interface Answer {
  readonly status: number;
  readonly etag: string | undefined;
  readonly bytes: number;
  readonly body: Buffer;
}

function get(url: string, agent: Agent, tag: string | undefined): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = tag === undefined ? {} : { 'if-none-match': tag };
    const outgoing = request(url, { agent, headers, timeout: timeoutMs }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const body = Buffer.concat(chunks);
        const bytes = headBytes(answer) + body.length;
        resolve({ status: answer.statusCode ?? 0, etag: answer.headers.etag, bytes, body });
      });
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer in ${timeoutMs} ms`)));
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** Status line and headers, with the separators of HTTP/1.1. */
function headBytes({ statusCode, statusMessage, rawHeaders }: IncomingMessage): number {
  const line = `HTTP/1.1 ${statusCode ?? 0} ${statusMessage ?? ''}\r\n\r\n`;
  return rawHeaders.reduce((sum, text) => sum + text.length + 2, line.length);
}
