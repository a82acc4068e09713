import fc from 'fast-check';
import { METHODS } from 'node:http';
import { settingKeys } from '@aosc/contract';
import {
  anyText,
  escapeText,
  hostileJson,
  hostileText,
  objectText,
  pathPart,
  writeObject,
} from './hostile-values';

/** A request as plain data, so that a failure can print it. */
export interface FuzzRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** UTF-8, unless it is bytes */
  readonly body?: string | Uint8Array;
}

/** Indices of a cluster in which no start can succeed, except with {@link Targets.empty}. */
export interface Targets {
  /** source of a migration that runs */
  readonly running: string;
  /** its target */
  readonly filling: string;
  /** an index that is in no migration, with documents */
  readonly source: string;
  /** another such index: never accepted as a target */
  readonly full: string;
  /** an index that would be accepted: named only in requests that are refused for something else */
  readonly empty: string;
  readonly migrationId: string;
}

const plugin = '/_plugins/_aosc';
const json = ['content-type', 'application/json'] as const;
const settingsPath = '/_cluster/settings';

const post = (target: string, body: string): FuzzRequest => ({
  method: 'POST',
  target,
  headers: [json],
  body,
});

/** Names that are nearly those of an index, and others. */
function indexParts({ running, filling, source, full }: Targets): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(source, full, running, filling) },
    { weight: 3, arbitrary: nearMiss(running) },
    { weight: 3, arbitrary: pathPart },
  );
}

/** What a careless server would take for the name, and what OpenSearch would take for a pattern that covers it. */
function nearMiss(name: string): fc.Arbitrary<string> {
  const misses = [
    `${name}*`,
    `${name.slice(0, -2)}*`,
    `${name.slice(0, -1)}%3f`,
    `${name}%00`,
    `${name}%20`,
    `%20${name}`,
    `${name}.`,
    `${name}%2c`,
    `${name},${name}`,
    `-${name}`,
    `+${name}`,
    `%3c${name}%3e`,
    name.toUpperCase(),
    `${name}%2f`,
    `${name}%2f_status`,
    `.%2f${name}`,
    `%2e%2e%2f${name}`,
    `x%2f..%2f${name}`,
    `${name}%23`,
    `${name}%3fa`,
    `${name};a=b`,
    `${name}%0d%0a`,
    `${name}%ef%bb%bf`,
    `local:${name}`,
  ];
  return fc.constantFrom(...misses);
}

const optionNames = [
  'convergence_threshold_per_shard',
  'max_convergence_rounds_per_shard',
  'doc_count_tolerance',
  'validation_query',
  'accept_data_loss_if_custom_routing_is_used',
  'target_ready_timeout_seconds',
  'remove_source_write_block_on_success',
  'transient_target_settings',
];
const scriptNames = ['type', 'source', 'id', 'params', 'script_context', 'apply_to_deletes'];

/** A known name, a nearly known one, or any. */
function fieldName(known: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...known) },
    { weight: 1, arbitrary: fc.constantFrom(...known).map((name) => name.slice(1)) },
    { weight: 1, arbitrary: hostileText },
  );
}

const transientSettings = objectText(
  fc.oneof(
    fc.constantFrom('index.refresh_interval', 'index.\n', 'index.blocks.write', 'index.', '__proto__'),
    anyText,
  ),
  hostileJson,
);

const startOptions = fc.oneof(
  { weight: 6, arbitrary: objectText(fieldName(optionNames), hostileJson) },
  {
    weight: 2,
    arbitrary: transientSettings.map((text) => writeObject([['transient_target_settings', text]])),
  },
  { weight: 1, arbitrary: hostileJson },
);

const startScript = fc.oneof(
  { weight: 3, arbitrary: objectText(fieldName(scriptNames), hostileJson) },
  { weight: 1, arbitrary: hostileJson },
  { weight: 3, arbitrary: fc.constant('{"type":"inline","source":"identity"}') },
);

/** Options that get a start as far as its target. */
const plausibleOptions = [
  'null',
  '{}',
  '{"accept_data_loss_if_custom_routing_is_used":true,"doc_count_tolerance":-0}',
  '{"transient_target_settings":{"index.\\u0000":"x","index.__proto__":null,"index.translog.durability":"request"}}',
  '{"target_ready_timeout_seconds":9007199254740,"convergence_threshold_per_shard":1.0}',
  '{"validation_query":{"match_all":{}}}',
];

/** Starts that are wrong in any way, or right but for a target that is in use or full. */
export function startRequest(targets: Targets): fc.Arbitrary<FuzzRequest> {
  const name = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(targets.full, targets.filling, targets.running, targets.source) },
    { weight: 2, arbitrary: anyText },
  );
  const text = fc.oneof(
    { weight: 5, arbitrary: name.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: hostileJson },
  );
  const members = fc.tuple(
    fc.option(text, { nil: undefined, freq: 8 }),
    fc.option(fc.oneof(text, fc.constant('"fuzz-alias"')), { nil: undefined, freq: 8 }),
    fc.option(startOptions, { nil: undefined }),
    fc.option(startScript, { nil: undefined, freq: 1 }),
    fc.array(fc.tuple(hostileText, hostileJson), { maxLength: 2 }),
  );
  const body = members.map(([target, alias, options, script, others]) =>
    writeObject([
      ...(target === undefined ? [] : [['target_index', target] as const]),
      ...(alias === undefined ? [] : [['alias', alias] as const]),
      ...(options === undefined ? [] : [['options', options] as const]),
      ...(script === undefined ? [] : [['transform_script', script] as const]),
      ...others,
    ]),
  );
  const plausible = fc
    .tuple(name, fc.oneof(hostileText, fc.constant('fuzz-alias')), fc.constantFrom(...plausibleOptions))
    .map(([target, alias, options]) =>
      writeObject([
        ['target_index', JSON.stringify(target)],
        ['alias', JSON.stringify(alias)],
        ['options', options],
      ]),
    );
  const content = fc.oneof(
    { weight: 6, arbitrary: body },
    { weight: 6, arbitrary: plausible },
    { weight: 1, arbitrary: hostileJson },
  );
  return fc
    .tuple(indexParts(targets), content)
    .map(([index, text]) => post(`${plugin}/${index}/_start`, text));
}

const queryNames = [
  'match',
  'term',
  'bool',
  'range',
  'regexp',
  'wildcard',
  'query_string',
  'script',
  'nested',
];

/** Starts to which nothing is wrong but the query: whatever it holds, a clause of it exists nowhere. */
export function validationQuery({ source, empty }: Targets): fc.Arbitrary<FuzzRequest> {
  const clause = fc.oneof(
    fc.tuple(fc.constantFrom(...queryNames), hostileJson).map((member) => writeObject([member])),
    fc
      .tuple(fc.constantFrom(...queryNames), hostileText, hostileJson)
      .map(([query, field, value]) => writeObject([[query, writeObject([[field, value]])]])),
    hostileJson,
  );
  const impossible = '{"no_such_query":{}}';
  return clause.map((hostile) => {
    const query = `{"bool":{"must":[${hostile},${impossible}]}}`;
    const options = writeObject([['validation_query', query]]);
    const members = [
      ['target_index', JSON.stringify(empty)],
      ['alias', '"fuzz-alias"'],
      ['options', options],
    ] as const;
    return post(`${plugin}/${source}/_start`, writeObject(members));
  });
}

const resets = ['aosc.*', '*', '*.*', 'aosc.backfill.*', '**', `${'*a'.repeat(60)}b`, `${'*'.repeat(250)}b`];

/** Changes of settings that never happen: one of the settings is unknown, or two contradict each other. */
export function settingsRequest(): fc.Arbitrary<FuzzRequest> {
  const known = fc.constantFrom(...settingKeys);
  const name = fc.oneof(
    { weight: 6, arbitrary: known },
    { weight: 2, arbitrary: known.map((key) => key.replace(/^aosc\./, '')) },
    { weight: 1, arbitrary: anyText },
  );
  const unit = fc.constantFrom('', 's', 'ms', 'nanos', 'd', 'M', 'kb', 'PB', ' s', '%', 'e5');
  const amount = fc.tuple(fc.constantFrom('0', '1', '-1', '1.5', '.5', '9'.repeat(30), '+5'), unit);
  const value = fc.oneof(
    { weight: 3, arbitrary: hostileJson },
    { weight: 3, arbitrary: amount.map((parts) => JSON.stringify(parts.join(''))) },
    { weight: 1, arbitrary: transientSettings },
  );
  const change = fc.oneof(
    { weight: 8, arbitrary: fc.tuple(name, value) },
    { weight: 2, arbitrary: fc.constantFrom(...resets).map((pattern) => [pattern, 'null'] as const) },
  );
  const scope = fc.array(change, { minLength: 1, maxLength: 5 }).map(writeObject);
  const poison = fc.constantFrom(
    '{"aosc.no_such_setting":1}',
    '{"cluster.routing.allocation.enable":"none"}',
    '{"aosc.replay.controller.type":"adaptive"}',
    '{"aosc.backfill.controller.batch":{"min_bytes":"2mb","max_bytes":"1mb"}}',
  );
  const nested = scope.map((text) => writeObject([['aosc', text]]));
  const wrapped = fc
    .tuple(fc.oneof({ weight: 6, arbitrary: scope }, { weight: 1, arbitrary: nested }), poison)
    .map(([given, bad]) => `{"persistent":${given},"transient":${bad}}`);
  const shapeless = fc.oneof(
    hostileJson.map((text) => `[${text}]`),
    hostileJson.map((text) => `{"persistent":[${text}]}`),
    objectText(hostileText, hostileJson),
  );
  const query = fc.constantFrom('', '', '?flat_settings', '?flat_settings=perhaps', '?__proto__=1');
  return fc
    .tuple(fc.oneof({ weight: 9, arbitrary: wrapped }, { weight: 2, arbitrary: shapeless }), query)
    .map(([body, rest]) => ({ method: 'PUT', target: `${settingsPath}${rest}`, headers: [json], body }));
}

const flagText = fc.oneof(
  fc.constantFrom('true', '', 'TRUE', '1', 'no', 'False', 'false '),
  hostileText.filter((text) => text !== 'false' && text !== 'true'),
);

/** The two clearing endpoints: dry runs, flags that are none, and real runs for what does not exist or is needed. */
export function adminRequest(targets: Targets): fc.Arbitrary<FuzzRequest> {
  const noMigration = anyText.filter((text) => text !== '' && text !== targets.migrationId);
  const unknown = fc.oneof(
    noMigration,
    fc.constantFrom(`${targets.migrationId} `, targets.migrationId.toUpperCase(), `${targets.migrationId}*`),
  );
  const write = (parameters: readonly (readonly [string, string])[]) =>
    parameters.map(([name, text]) => `${escapeText(name)}=${escapeText(text.slice(0, 2_000))}`).join('&');
  const others = fc.array(
    fc.tuple(fc.constantFrom('pretty', 'detailed', 'undo', 'try_close', '__proto__'), flagText),
    {
      maxLength: 3,
    },
  );
  const dry = fc
    .tuple(others, flagText, fc.option(unknown, { nil: undefined }))
    .map(([flags, text, id]) => `_clear_state?${write([...flags, ['dry_run', text], ...idOf(id)])}`);
  const real = fc
    .tuple(others, unknown)
    .map(([flags, id]) => `_clear_state?${write([...flags, ['dry_run', 'false'], ...idOf(id)])}`);
  const index = fc.oneof(
    hostileText,
    fc.constantFrom(targets.running, `${targets.running}*`, targets.source),
  );
  const leases = fc
    .tuple(
      index,
      fc.constantFrom('true', 'false', ''),
      fc.constantFrom('false', '0', 'perhaps', ' true', 'TRUE'),
    )
    .map(([name, dryRun, active]) =>
      write([
        ['index', name],
        ['dry_run', dryRun],
        ['include_active', active],
      ]),
    )
    .map((query) => `_cleanup_leases?${query}`);
  return fc
    .tuple(fc.oneof(dry, real, leases), fc.constantFrom('POST', 'POST', 'POST', 'GET', 'PUT', 'DELETE'))
    .map(([rest, method]) => ({ method, target: `${plugin}/_admin/${rest}`, headers: [] }));
}

const idOf = (id: string | undefined) => (id === undefined ? [] : [['migration_id', id] as const]);

/** Reads, and cancels of what is nearly the migration that runs; cancels of that itself are wrong in another way. */
export function migrationRequest(targets: Targets): fc.Arbitrary<FuzzRequest> {
  const { running } = targets;
  const status = fc.tuple(indexParts(targets), hostileText).map(([index, tag]) => ({
    method: 'GET',
    target: `${plugin}/${index}/_status`,
    headers: [['if-none-match', headerText(tag)] as const],
  }));
  const shard = fc.tuple(indexParts(targets), hostileText).map(([index, number]) => ({
    method: 'GET',
    target: `${plugin}/${index}/_shards/${escapeText(number)}`,
    headers: [],
  }));
  const miss = nearMiss(running).map((index) => ({
    method: 'POST',
    target: `${plugin}/${index}/_cancel`,
    headers: [],
  }));
  const wrong = fc
    .constantFrom<Omit<FuzzRequest, 'target'> & { query?: string }>(
      { method: 'POST', headers: [], query: '?force=true' },
      { method: 'POST', headers: [], query: '?__proto__=1&pretty' },
      { method: 'POST', headers: [json], body: '{"a":' },
      { method: 'POST', headers: [['content-type', 'text/plain']], body: 'x' },
      { method: 'POST', headers: [['origin', 'null']] },
      { method: 'POST', headers: [['origin', 'http://evil.example']] },
      { method: 'POST', headers: [['sec-fetch-site', 'cross-site']] },
      { method: 'POST', headers: [['host', 'rebound.example']] },
      { method: 'PUT', headers: [] },
      { method: 'DELETE', headers: [] },
      { method: 'GET', headers: [['x-http-method-override', 'POST']] },
    )
    .map(({ query = '', ...request }) => ({ ...request, target: `${plugin}/${running}/_cancel${query}` }));
  const list = fc
    .tuple(fc.constantFrom('status', 'size', 'sise', '__proto__', 'pretty'), anyText)
    .map(([name, text]) => ({
      method: 'GET',
      target: `${plugin}/_list?${name}=${escapeText(text.slice(0, 3_000))}`,
      headers: [],
    }));
  return fc.oneof(status, shard, miss, wrong, list);
}

/** A header's value may be no other characters: the rest is for the wire. */
function headerText(text: string): string {
  return text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?');
}

const segments = [
  '_plugins',
  '_aosc',
  '_admin',
  '_list',
  '_status',
  '_start',
  '_clear_state',
  '_cluster',
  'settings',
];
const methods = METHODS.filter((method) => method !== 'CONNECT');

/** Any method at any path. Nothing that exists is named, so nothing can be meant. */
export function anywhere(): fc.Arbitrary<FuzzRequest> {
  const part = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...segments) },
    { weight: 2, arbitrary: pathPart },
  );
  const path = fc.oneof(
    fc.array(part, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`),
    pathPart.map((name) => `${plugin}/${name}`),
    fc.constantFrom('/healthz', '/readyz', '/metrics', '/openapi.json', '/queues', '//', '*', `${plugin}/`),
  );
  const query = fc
    .array(fc.tuple(pathPart, pathPart), { maxLength: 2 })
    .map((pairs) => pairs.map(String).join('&'));
  const type = fc.constantFrom('application/json', 'text/html', 'application/json; charset=utf-7', '/', '');
  return fc
    .tuple(
      fc.constantFrom(...methods),
      path,
      query,
      fc.option(fc.tuple(type, hostileJson), { nil: undefined, freq: 2 }),
    )
    .map(([method, target, rest, content]) => {
      const request = { method, target: `${target.slice(0, 9_000)}?${rest.slice(0, 3_000)}` };
      if (content === undefined) return { ...request, headers: [] };
      return { ...request, headers: [['content-type', content[0]] as const], body: content[1] };
    });
}

/** Changes that would happen, were they not carried wrongly. */
export function wronglyCarried({ running, source, empty }: Targets): fc.Arbitrary<FuzzRequest> {
  const changes = [
    {
      method: 'PUT',
      target: settingsPath,
      body: '{"persistent":{"aosc.backfill.read.page_size":77},"transient":{"aosc.*":null}}',
    },
    {
      method: 'POST',
      target: `${plugin}/${source}/_start`,
      body: writeObject([
        ['target_index', JSON.stringify(empty)],
        ['alias', '"fuzz-alias"'],
      ]),
    },
    { method: 'POST', target: `${plugin}/${running}/_cancel`, body: '{"reason":"no body is looked for"}' },
  ];
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'application',
    'json',
    '',
  ];
  const codings = ['gzip', 'br', 'deflate', 'identity, gzip', 'zstd', 'aes128gcm'];
  const charsets = ['utf-16', 'utf-7', 'latin1', 'utf-99', 'utf-32'];
  const named = (text: string): readonly [string, string] => [
    'content-type',
    `application/json; charset=${text}`,
  ];
  return fc.constantFrom(...changes).chain((change) => {
    const { body } = change;
    const carried = fc.oneof(
      fc.constantFrom(...types).map((type) => ({ headers: [['content-type', type] as const], body })),
      fc
        .constantFrom(...codings)
        .map((coding) => ({ headers: [json, ['content-encoding', coding] as const], body })),
      fc.constantFrom(...charsets).map((charset) => ({ headers: [named(charset)], body })),
      fc.nat({ max: body.length - 2 }).map((end) => ({ headers: [json], body: body.slice(0, end + 1) })),
      fc
        .constantFrom('x', '}', ']', '\u0000', ',{}', body)
        .map((rest) => ({ headers: [json], body: body + rest })),
      fc.constantFrom(0x80, 0xff, 0xc3).map((byte) => ({
        headers: [json],
        body: Buffer.concat([Buffer.from([byte]), Buffer.from(body)]),
      })),
      fc.constant({ headers: [json, ['origin', 'http://evil.example'] as const], body }),
      fc.constant({ headers: [json], body: `${' '.repeat(2 ** 20)}${body}` }),
    );
    return carried.map((parts): FuzzRequest => ({ ...change, ...parts }));
  });
}
