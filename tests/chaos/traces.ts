import { createParser } from '@aosc/contract';
import type { Mismatches, WriterModel } from '@aosc/testkit';
import { mismatchKinds, UnexpectedAnswer } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import type { Arena } from './arena';

const parseDocument = createParser(
  'answer of _doc',
  Type.Object({
    _version: Type.Optional(Type.Integer()),
    _seq_no: Type.Optional(Type.Integer()),
    _primary_term: Type.Optional(Type.Integer()),
    found: Type.Boolean(),
  }),
);

const mostTraces = 5;

/** Of documents that differ: which operation was acknowledged last, and which one each index holds. */
export async function traceDocuments(
  arena: Arena,
  indices: readonly string[],
  model: WriterModel,
  mismatches: Mismatches,
): Promise<readonly string[]> {
  const samples = mismatchKinds.flatMap((kind) => mismatches[kind].samples).slice(0, mostTraces);
  const lines: string[] = [];
  for (const { id, routing } of samples) {
    const entry = model.get(id, routing);
    const held: string[] = [];
    for (const index of indices) held.push(`${index} ${await readPlace(arena, index, id, routing)}`);
    const acknowledged =
      entry === undefined
        ? 'never'
        : `${entry.index ?? '?'} seq_no ${entry.seqNo ?? '?'} term ${entry.primaryTerm ?? '?'}`;
    lines.push(
      `${id}${routing === undefined ? '' : ` (${routing})`}: acknowledged ${acknowledged}; ${held.join('; ')}`,
    );
  }
  return lines;
}

async function readPlace(
  arena: Arena,
  index: string,
  id: string,
  routing: string | undefined,
): Promise<string> {
  const query = routing === undefined ? '' : `?routing=${encodeURIComponent(routing)}`;
  try {
    const answer = parseDocument(await arena.ask('GET', `/${index}/_doc/${encodeURIComponent(id)}${query}`));
    return `version ${answer._version ?? '?'} seq_no ${answer._seq_no ?? '?'} term ${answer._primary_term ?? '?'}`;
  } catch (error) {
    if (error instanceof UnexpectedAnswer && error.answer.status === 404) return 'does not have it';
    // An id with half of a surrogate pair has no form in a URL.
    if (error instanceof URIError) return 'was not asked';
    throw error;
  }
}
