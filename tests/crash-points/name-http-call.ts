import { isObject } from './is-object';
import type { ChangingCall } from './place';
import type { RecordMemory } from './record-memory';

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
}

const reads =
  /^\/(.+\/)?(_search|_count|_mget|_msearch|_simulate|_tasks|_stats|_execute|_cluster\/allocation\/explain)$|^\/_ingest\/pipeline\/[^/]+\/_simulate$/;
const keyInName = /([0-9a-f]{20})/;

/**
 * Names a call of OpenSearch by each thing that it changes: the records of several shards are written together.
 * @returns nothing for a call that changes nothing
 */
export function nameHttpCalls(call: Call, memory: RecordMemory): readonly ChangingCall[] {
  const writes = readRecordWrites(call);
  if (writes.length > 0) return writes.map(({ method, id, body }) => memory.name(method, id, body));
  const named = nameHttpCall(call);
  return named === undefined ? [] : [named];
}

export interface RecordWrite {
  readonly method: string;
  readonly id: string;
  /** JSON, or nothing */
  readonly body: Buffer;
}

/** The writes of `.aosc-migrations` that a call carries: a single one, or each item of a bulk. */
export function readRecordWrites({ method, path, body }: Call): readonly RecordWrite[] {
  const [, index, operation, id = ''] = decodeURIComponent(new URL(path, 'http://node').pathname).split('/');
  if (index !== '.aosc-migrations' || method === 'GET' || method === 'HEAD') return [];
  if (operation === '_doc') return [{ method, id, body }];
  if (operation !== '_bulk') return [];
  const lines = body.toString('utf8').trimEnd().split('\n');
  const writes: RecordWrite[] = [];
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const written = indexOrCreate(JSON.parse(lines[at] ?? ''))['_id'];
    if (typeof written !== 'string')
      throw new Error(`a bulk of records does more than create and replace: ${lines[at]}`);
    writes.push({ method: 'PUT', id: written, body: Buffer.from(lines[at + 1] ?? '') });
  }
  return writes;
}

/**
 * Whether each write of {@link readRecordWrites} was carried out, by the answer. Of a bulk whose answer was passed on
 * unread only the whole is known.
 */
export function wereWritten(
  writes: readonly RecordWrite[],
  { status, body }: { readonly status: number; readonly body?: Buffer },
): readonly boolean[] {
  const isDone = status >= 200 && status < 300;
  const answer: unknown = isDone && writes.length > 1 && body ? JSON.parse(body.toString()) : undefined;
  const items: unknown = isObject(answer) ? answer['items'] : undefined;
  if (!Array.isArray(items)) return writes.map(() => isDone);
  return (items as readonly unknown[]).map((item) => {
    const done = indexOrCreate(item)['status'];
    return typeof done === 'number' && done < 300;
  });
}

/** The one member of a bulk's action, or of its answer. */
function indexOrCreate(item: unknown): Readonly<Record<string, unknown>> {
  const { index, create } = isObject(item) ? item : {};
  const found = index ?? create;
  return isObject(found) ? found : {};
}

/** What is not known here gets a name of its method and path: so a call that the product learns to make is a new place. */
function nameHttpCall({ method, path, body }: Call): ChangingCall | undefined {
  const url = new URL(path, 'http://node');
  const pathname = decodeURIComponent(url.pathname);
  if (method === 'GET' || method === 'HEAD') return undefined;
  if (pathname === '/_search') return isKeepAlive(body) ? periodic('keep alive of a snapshot') : undefined;
  if (reads.test(pathname)) return undefined;
  const parts = pathname.split('/').slice(1);
  const [index = '', operation = ''] = parts;
  if (operation === '_bulk') return nameBulk(index, body);
  if (pathname === '/_aliases') return nameAliases(body);
  if (operation === '_settings' && method === 'PUT') {
    const names = Object.keys(parseBody(body)).map((name) => name.replace(/^index\./, ''));
    return over(`settings of ${roleOf(index)}: ${names.toSorted().join(' ')}`);
  }
  if (pathname.endsWith('/_search/point_in_time') && method === 'POST') {
    const shard = /_shards:(\d+)/.exec(url.searchParams.get('preference') ?? '')?.[1];
    return { ...over('open a snapshot'), shard: shard === undefined ? undefined : Number(shard) };
  }
  if (pathname === '/_search/point_in_time') return over('close snapshots');
  // The source is blocked through the alias that marks it.
  const general = parts.map((part) => (part.startsWith('aosc-block-') ? 'source' : roleOf(part))).join('/');
  return { ...over(`${method} ${general}`), key: keyInName.exec(pathname)?.[1] };
}

function over(what: string): ChangingCall {
  return { what, via: 'opensearch' };
}

function periodic(what: string): ChangingCall {
  return { ...over(what), isPeriodic: true };
}

/** The roles of the names that tests and service give. */
function roleOf(name: string): string {
  if (/-v1$/.test(name)) return 'source';
  if (/-v2$/.test(name)) return 'target';
  const ours = /^aosc-([a-z]+)-[0-9a-f]{20}/.exec(name)?.[1];
  return ours ?? name;
}

function nameBulk(index: string, body: Buffer): ChangingCall {
  const fence = /^aosc-fence-([0-9a-f]{20})-(\d+)-\d+$/.exec(index);
  const kind = body.subarray(0, 9).toString('latin1') === '{"delete"' ? 'deletes' : 'documents';
  return {
    ...over(`bulk of ${kind}`),
    key: fence?.[1],
    shard: fence?.[2] === undefined ? undefined : Number(fence[2]),
  };
}

function nameAliases(body: Buffer): ChangingCall {
  const { actions } = parseBody(body);
  const changes = new Set<string>();
  const text = body.toString('latin1');
  for (const action of Array.isArray(actions) ? (actions as readonly unknown[]) : []) {
    if (!isObject(action)) continue;
    for (const [verb, what] of Object.entries(action)) {
      const alias = isObject(what) ? String(what['alias']) : '';
      changes.add(`${verb === 'add' ? '+' : '-'}${aliasRole(alias)}`);
    }
  }
  // A shard's new fence closes its older ones, and there may be none.
  const fences = text.match(/aosc-fence-[0-9a-f]{20}-\d+/g) ?? [];
  const shards = new Set(fences.map((fence) => Number(fence.split('-').at(-1))));
  const isOneShards = changes.has('+fence') && !changes.has('+token');
  const summary = isOneShards ? 'next fence' : [...changes].join(' ');
  return {
    ...over(`aliases: ${summary}`),
    key: /aosc-[a-z]+-([0-9a-f]{20})/.exec(text)?.[1],
    shard: isOneShards ? [...shards][0] : undefined,
  };
}

function aliasRole(alias: string): string {
  const role = roleOf(alias);
  return role === alias ? 'alias' : role;
}

/** There is no call that only extends a point in time: it is a search that finds nothing. */
function isKeepAlive(body: Buffer): boolean {
  return body.includes('"match_none"') && body.includes('"keep_alive"');
}

function parseBody(body: Buffer): Readonly<Record<string, unknown>> {
  const value: unknown = body.length === 0 ? {} : JSON.parse(body.toString());
  return isObject(value) ? value : {};
}
