/**
 * Boundaries of what clients and servers of Redis send (RESP2 and RESP3,
 * https://redis.io/docs/latest/develop/reference/protocol-spec/). Nothing is decoded and written again: a message keeps
 * its bytes.
 */

/** One complete message and what stands in it. */
export interface RespMessage {
  readonly bytes: Buffer;
  /** the bulk strings of an array, in their order; empty for anything else */
  readonly words: readonly Buffer[];
  /** sent by the server on its own account: no answer to a command */
  readonly isPush: boolean;
}

/** Takes bytes as they come and returns complete messages. @throws Error for bytes outside the protocol */
export interface RespReader {
  readonly take: (chunk: Buffer) => readonly RespMessage[];
}

export function createRespReader(): RespReader {
  let pending: Buffer = Buffer.alloc(0);
  return {
    take: (chunk) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const messages: RespMessage[] = [];
      let from = 0;
      for (;;) {
        const words: Buffer[] = [];
        const end = findEnd(pending, from, words, 0);
        if (end === undefined) break;
        const isPush = pending.toString('latin1', from, from + 1) === '>';
        messages.push({ bytes: pending.subarray(from, end), words, isPush });
        from = end;
      }
      pending = pending.subarray(from);
      return messages;
    },
  };
}

const deepest = 64;
/** types whose message is a single line */
const lines = new Set(['+', '-', ':', '_', '#', ',', '(']);
/** a length, then so many bytes and a line break */
const texts = new Set(['$', '!', '=']);
/** a number, then so many messages, or pairs of them */
const messagesPerElement = new Map([
  ['*', 1],
  ['~', 1],
  ['>', 1],
  ['%', 2],
]);

/** @returns where the message that begins at `from` ends; undefined: it has not come as a whole yet */
function findEnd(bytes: Buffer, from: number, words: Buffer[], depth: number): number | undefined {
  if (depth > deepest) throw new Error('a message of Redis is nested too deeply');
  const lineEnd = bytes.indexOf('\r\n', from, 'latin1');
  if (lineEnd < 0) return undefined;
  const type = String.fromCharCode(bytes[from] ?? 0);
  const rest = lineEnd + 2;
  if (lines.has(type)) return rest;
  const length = Number(bytes.toString('latin1', from + 1, lineEnd));
  const perElement = messagesPerElement.get(type);
  if ((!texts.has(type) && perElement === undefined) || !Number.isInteger(length)) {
    const line = JSON.stringify(bytes.toString('latin1', from, lineEnd));
    throw new Error(`not a message of Redis that is known here: ${line}`);
  }
  // A negative length is the null of its type.
  if (length < 0) return rest;
  if (perElement === undefined) {
    const end = rest + length + 2;
    if (end > bytes.length) return undefined;
    if (depth === 1) words.push(bytes.subarray(rest, rest + length));
    return end;
  }
  let at: number | undefined = rest;
  for (let message = 0; message < length * perElement; message++) {
    at = findEnd(bytes, at, words, depth + 1);
    if (at === undefined) return undefined;
  }
  return at;
}
