import { createParser, ownValue } from '@aosc/contract';
import { type Call, isIndexMissing } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { parseAnswer, request } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { findChangedNumber } from '../codec/changed-number';
import { indexPath } from '../index-path';

const Fields = Type.Record(Type.String(), Type.Unknown());
const parse = createParser(
  'answer of GET index',
  Type.Record(
    Type.String(),
    Type.Object({ settings: Fields, mappings: Fields, aliases: Type.Record(Type.String(), Fields) }),
  ),
);

type Values = Readonly<Record<string, unknown>>;

/** How an index was created, with all later changes. */
export interface IndexDefinition {
  /** flat, as they were set: texts, and lists of texts */
  readonly settings: Values;
  readonly mappings: Values;
  readonly aliases: Readonly<Record<string, Values>>;
  /** a number that parsing has changed, as the text has it: the definition is not exact then */
  readonly changedNumber: string | undefined;
}

/** `GET {index}`, with settings, mapping and aliases. @returns undefined when no such concrete index exists */
export async function readDefinition(
  client: OpenSearchClient,
  index: string,
  call: Call,
): Promise<IndexDefinition | undefined> {
  const path = `/${indexPath(index)}`;
  try {
    const bytes = await request(client, { method: 'GET', path, query: { flat_settings: true } }, call);
    // For an alias OpenSearch returns its index's entry: only an entry of the exact name counts.
    const found = ownValue(parseAnswer(bytes, parse, `GET ${path}`), index);
    return found && { ...found, changedNumber: findChangedNumber(bytes.toString('utf8')) };
  } catch (error) {
    // A proxy's 404 does not prove that the index is gone.
    if (isIndexMissing(error)) return undefined;
    throw error;
  }
}
