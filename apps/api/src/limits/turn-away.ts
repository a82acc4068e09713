import { AoscError, errorRegistry, toErrorBody } from '@aosc/contract';
import type { Response } from 'express';
import { LRUCache } from 'lru-cache';

/** By message. Few: a debt is paid within a minute even at one token a second. */
const bodies = new LRUCache<string, string>({ max: 200 });

/**
 * Answers 429 without an error to be thrown, and ends the connection: in a flood the answer is what costs, and whoever
 * goes on asking shall have to connect again, which is cheaper still to refuse.
 */
export function turnAway(response: Response, seconds: number, message: string): void {
  const body = bodies.get(message) ?? JSON.stringify(toErrorBody(new AoscError('rate_limited', message)));
  bodies.set(message, body);
  response
    .writeHead(errorRegistry.rate_limited.status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'retry-after': String(seconds),
      connection: 'close',
    })
    .end(body);
}
