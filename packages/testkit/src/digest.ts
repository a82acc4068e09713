import { hash } from 'node:crypto';
import { normaliseSource } from './compare/normalise-source';

/** 128 bits as hexadecimal text: two sources with the same digest count as the same bytes. */
export function digestOfSource(value: Buffer): string {
  return hash('sha1', normaliseSource(value), 'hex').slice(0, 32);
}

/** A document's identity: the same `_id` under another routing is another document. */
export function documentKey(id: string, routing: string | undefined): string {
  return routing === undefined ? `${id.length}:${id}` : `${id.length}:${id}:${routing}`;
}
