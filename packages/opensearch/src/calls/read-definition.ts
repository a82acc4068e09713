import { byName, createParser, maybe, ownValue } from '@aosc/contract';
import { type IndexStatePort, type Call, ClusterError, isIndexMissing, instead } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import type { AsksOf } from '../bind-calls';
import { parseAnswer, request, type OpenSearchClient, type SendRequest } from '../client/request';
import { findChangedNumber } from '../codec/changed-number';
import { indexPath } from '../index-path';

const Fields = byName(Type.Unknown());
const Patterns = maybe(Type.Union([Type.String(), Type.Array(Type.String())]));

const parseDefinition = createParser(
  'answer of GET index',
  byName(Type.Object({ settings: Fields, mappings: Fields, aliases: byName(Fields) })),
);
const parseMapping = createParser(
  'answer of GET index',
  byName(
    Type.Object({
      mappings: maybe(Fields),
      settings: Type.Object({ 'index.uuid': Type.String() }),
    }),
  ),
);
const parseSource = createParser(
  'answer of GET index',
  byName(
    Type.Object({
      mappings: maybe(
        Type.Object({
          _source: maybe(
            Type.Object({
              enabled: maybe(Type.Union([Type.Boolean(), Type.String()])),
              includes: Patterns,
              excludes: Patterns,
            }),
          ),
        }),
      ),
      settings: Type.Object({ 'index.uuid': Type.String() }),
    }),
  ),
);

/**
 * `GET {index}`. For an alias OpenSearch returns its index's entry: only an entry of the exact name
 * counts.
 */
export async function readIndex<T>(
  client: OpenSearchClient,
  index: string,
  parse: (value: unknown) => Readonly<Record<string, T>>,
  { query = {} }: Pick<SendRequest, 'query'>,
  call: Call,
): Promise<{ readonly bytes: Buffer; readonly entry: T | undefined }> {
  const path = `/${indexPath(index)}`;
  const bytes = await request(client, { method: 'GET', path, query }, call);
  return { bytes, entry: ownValue(parseAnswer(bytes, parse, `GET ${path}`), index) };
}

/** @returns undefined when there is no index of the name; a proxy's 404 does not prove that */
export function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch(instead(undefined, isIndexMissing));
}

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
  const query = { flat_settings: true };
  const found = await unlessMissing(readIndex(client, index, parseDefinition, { query }, call));
  return found?.entry && { ...found.entry, changedNumber: findChangedNumber(found.bytes.toString('utf8')) };
}

/**
 * `GET {index}`, from which this reads the mapping. `GET {index}/_mapping` returns the same, but needs a privilege of
 * its own.
 * @throws ClusterError 'transient' when there is no such concrete index any more
 */
export const readMapping: AsksOf<IndexStatePort['readMapping']> = async (client, index, call) => {
  const query = { flat_settings: true, filter_path: '*.mappings,*.settings.*uuid' };
  const { entry } = await readIndex(client, index, parseMapping, { query }, call);
  if (entry === undefined)
    throw new ClusterError('transient', `index ${index} is gone, or its name is an alias`);
  return entry.mappings ?? {};
};

/** How much of each document's source an index keeps: all, a part, or nothing. */
export type SourceFilter = 'whole' | 'filtered' | 'disabled';

/** `GET {index}`. Reads can't return what the `_source` field leaves out; only searches find it. */
export async function readSourceFilter(
  client: OpenSearchClient,
  index: string,
  call: Call,
): Promise<SourceFilter> {
  const query = { flat_settings: true, filter_path: '*.mappings._source,*.settings.*uuid' };
  const { entry } = await readIndex(client, index, parseSource, { query }, call);
  if (entry === undefined) throw new ClusterError('not_found', `there is no index [${index}]`);
  const { enabled = true, includes = [], excludes = [] } = entry.mappings?._source ?? {};
  if (String(enabled) === 'false') return 'disabled';
  return includes.length + excludes.length > 0 ? 'filtered' : 'whole';
}
