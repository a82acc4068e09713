import { shorten, isObject } from '@aosc/contract';
import { sha256 } from './secret-hash';

type Fields = Readonly<Record<string, unknown>>;

/** Longer than any value that is let through. */
const maxTextLength = 256;
const maxOptions = 20;

/**
 * What the audit log keeps of a start request, accepted or not: names and options. Of script and query it keeps a hash,
 * because they may hold data. A reader who has the text can make the same hash (SHA-256 of the script's source, and of
 * the JSON of its parameters and of the query as it was sent, without blanks).
 * @param body as it was sent, of any shape
 */
export function notesOfStart(body: unknown): object {
  const request = asFields(body);
  const { type, id, source, params } = asFields(request['transform_script']);
  const options = asFields(request['options']);
  const query = options['validation_query'];
  return {
    targetIndex: textOf(request['target_index']),
    alias: textOf(request['alias']),
    plan: textOf(request['plan']),
    scriptType: textOf(type),
    scriptId: textOf(id),
    scriptHash: typeof source === 'string' ? hashOf(source) : undefined,
    scriptParamsHash: params === undefined ? undefined : hashOf(JSON.stringify(params)),
    queryHash: query === undefined ? undefined : hashOf(JSON.stringify(query)),
    options: describeOptions(options),
  };
}

/** The same for a request to create a target: names and numbers, and a hash of what may hold data. */
export function notesOfTarget(body: unknown, dryRun: boolean): object {
  const request = asFields(body);
  const edits = { settings: request['settings'], mappings: request['mappings'] };
  const hasEdits = edits.settings !== undefined || edits.mappings !== undefined;
  return {
    dryRun,
    targetIndex: textOf(request['target_index']),
    shardCount: textOf(request['number_of_shards']),
    editsHash: hasEdits ? hashOf(JSON.stringify(edits)) : undefined,
  };
}

function describeOptions({ validation_query: _hashed, ...options }: Fields): object | undefined {
  const entries = Object.entries(options).slice(0, maxOptions);
  if (entries.length === 0) return undefined;
  return Object.fromEntries(entries.map(([name, value]) => [shorten(name, maxTextLength), textOf(value)]));
}

const hashOf = (text: string) => `sha256$${sha256(text).toString('hex')}`;

function textOf(value: unknown): string | number | boolean | undefined {
  if (value === undefined || typeof value === 'number' || typeof value === 'boolean') return value;
  return shorten(typeof value === 'string' ? value : JSON.stringify(value), maxTextLength);
}

const asFields = (value: unknown): Fields => (isObject(value) ? value : {});
