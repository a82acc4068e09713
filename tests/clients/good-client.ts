import { Agent, request as plainRequest, type RequestOptions } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

/** One request of the good client. */
export interface Ask {
  readonly kind: string;
  /** from the moment it was due to the last byte of the answer */
  readonly latencyMs: number;
  /** undefined: no answer */
  readonly status: number | undefined;
}

export interface GoodClientOptions {
  readonly port: number;
  readonly isSecure: boolean;
  /** of the authority, when it is secure */
  readonly ca: string;
  readonly authorizations: Readonly<Record<string, string>>;
  readonly requestsPerSecond: number;
  readonly seconds: number;
}

const timeoutMs = 30_000;

/**
 * Asks at a fixed rate, in turn by key, by password, and without any, over a connection that stays and over new ones.
 * A request that had to wait for nothing but the server counts its wait.
 */
export async function askAsGoodClient(options: GoodClientOptions): Promise<readonly Ask[]> {
  const { port, isSecure, ca, authorizations, requestsPerSecond, seconds } = options;
  const kept = isSecure ? new SecureAgent({ keepAlive: true, ca }) : new Agent({ keepAlive: true });
  const kinds = [undefined, ...Object.keys(authorizations)].flatMap((who) => [
    { who, isNew: false },
    { who, isNew: true },
  ]);
  const asks: Ask[] = [];
  const running: Promise<void>[] = [];
  const begin = performance.now();
  for (let count = 0; count < requestsPerSecond * seconds; count += 1) {
    const dueAt = begin + (count * 1000) / requestsPerSecond;
    await sleep(Math.max(0, dueAt - performance.now()));
    const { who, isNew } = kinds[count % kinds.length] ?? { who: undefined, isNew: true };
    const authorization = who === undefined ? {} : { authorization: authorizations[who] };
    const target: RequestOptions & { ca: string } = {
      host: '127.0.0.1',
      port,
      path: who === undefined ? '/healthz' : '/metrics',
      headers: { host: 'localhost', ...authorization },
      agent: isNew ? false : kept,
      timeout: timeoutMs,
      ca,
    };
    const kind = `${who ?? 'open'}, ${isNew ? 'new connection' : 'kept connection'}`;
    running.push(
      ask(target, isSecure).then((status) => {
        asks.push({ kind, latencyMs: performance.now() - dueAt, status });
      }),
    );
  }
  await Promise.all(running);
  kept.destroy();
  return asks;
}

function ask(target: RequestOptions, isSecure: boolean): Promise<number | undefined> {
  return new Promise((resolve) => {
    const outgoing = (isSecure ? secureRequest : plainRequest)(target, (answer) => {
      answer.resume();
      answer.on('error', () => resolve(undefined));
      answer.on('end', () => resolve(answer.statusCode));
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
    outgoing.on('error', () => resolve(undefined));
    outgoing.end();
  });
}
