import { digestOfSource } from '../digest';
import { endOfValue, skipBlanks } from '../raw-json';

/** Why a writer sends an operation. */
export const purposes = ['insert', 'update', 'partial', 'delete', 'recreate', 'reroute', 'move'] as const;
export type Purpose = (typeof purposes)[number];

/** Weights of the operations; a weight of 0 leaves one out. */
export type OperationMix = Readonly<Record<Purpose, number>>;

/**
 * `partial` is an `_update` with a part of the document. `recreate` writes an id again that was deleted before.
 * `reroute` writes a routed id under another routing: where both routings lead to one shard it overwrites the
 * document, else there are two. It is off by default, because in BULK_API such pairs can meet in one shard.
 * `move` deletes a document, and makes it again under another routing when the delete is acknowledged: there are never
 * two, but their home in the source changes, and in BULK_API both homes may lead to one shard of the target. Of its two
 * operations the second has this purpose, the first that of a delete. It is off by default.
 */
export const defaultMix: OperationMix = {
  insert: 35,
  update: 25,
  partial: 5,
  delete: 20,
  recreate: 15,
  reroute: 0,
  move: 0,
};

export interface Operation {
  readonly purpose: Purpose;
  readonly verb: 'index' | 'update' | 'delete';
  readonly id: string;
  readonly routing: string | undefined;
  /** JSON text: the whole document, or for `update` the part to change */
  readonly body: string | undefined;
  /** chosen by the application (`version_type=external`) */
  readonly externalVersion: bigint | undefined;
  /** this id is in use under several routings, so results do not show by themselves what happened */
  readonly shared: boolean;
}

/** Digest of the document in `text`, without the blanks around it. */
export function digestOfText(text: string): string {
  const bytes = Buffer.from(text);
  const start = skipBlanks(bytes, 0);
  return digestOfSource(bytes.subarray(start, endOfValue(bytes, start)));
}

/** NDJSON can't carry line breaks: such a document goes in a request of its own. */
export function fitsBulk(operation: Operation): boolean {
  return operation.body === undefined || !/[\r\n]/.test(operation.body);
}

/** A URL has no form for half of a surrogate pair: a document with such an id goes by bulk. */
export function fitsUrl({ id, routing }: Pick<Operation, 'id' | 'routing'>): boolean {
  return id.isWellFormed() && routing?.isWellFormed() !== false;
}
