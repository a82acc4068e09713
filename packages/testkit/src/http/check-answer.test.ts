import { AoscError, createOpenApiDocument, type ErrorCode, errorRegistry, toErrorBody } from '@aosc/contract';
import { createAnswerCheck, type Exchange } from './check-answer';

const check = createAnswerCheck(createOpenApiDocument());
const json = { 'content-type': 'application/json; charset=utf-8' };

function exchange(method: string, path: string, status: number, body: unknown, more: object = {}): Exchange {
  return { method, path, status, headers: { ...json, ...more }, body: JSON.stringify(body) };
}
function refused(method: string, path: string, code: ErrorCode, more: object = {}): Exchange {
  return exchange(method, path, errorRegistry[code].status, toErrorBody(new AoscError(code, 'why')), more);
}
const without = (given: Exchange): Exchange => ({ ...given, body: '', headers: {} });

const start = '/_plugins/_aosc/books/_start';
const status = '/_plugins/_aosc/books/_status';
const item = {
  migration_id: 'a__b__1',
  source_index: 'a',
  target_index: 'b',
  alias: 'c',
  phase: 'ACTIVE',
  start_time_millis: 1,
  last_updated_millis: 2,
  shards_by_phase: { PENDING: 2 },
  is_terminal: false,
  shard_count: 2,
  elapsed_seconds: 0,
};
const list = (parts: object) => ({
  migrations: [{ ...item, ...parts }],
  truncated: false,
  active_count: 1,
});
const tree = { aosc: { liveness: { timeout: '60s' } } };

describe('what the document promises passes', () => {
  test.each<[string, Exchange]>([
    ['a start', exchange('POST', `${start}?pretty`, 200, { migration_id: 'a__b__1', accepted: true })],
    ['a list', exchange('GET', '/_plugins/_aosc/_list?size=5', 200, list({}))],
    ['nested settings', exchange('GET', '/_cluster/settings', 200, { persistent: tree, transient: {} })],
    [
      'flat settings',
      exchange('PUT', '/_cluster/settings', 200, {
        acknowledged: true,
        persistent: { 'aosc.liveness.timeout': '60s' },
        transient: {},
      }),
    ],
    ['a conflict', refused('POST', start, 'conflict')],
    ['an unready process', exchange('GET', '/readyz', 503, { ok: false, checks: [] })],
    [
      'figures',
      { ...without(exchange('GET', '/metrics', 200, '')), headers: { 'content-type': 'text/plain' } },
    ],
    ['nothing new', { ...without(exchange('GET', status, 304, '')), headers: { etag: 'W/"x"' } }],
    ['a head', { ...exchange('HEAD', '/healthz', 200, ''), body: '' }],
    ['options', { ...without(exchange('OPTIONS', start, 200, '')), headers: { allow: 'POST' } }],
    ['a wrong method', refused('PUT', '/healthz', 'method_not_allowed', { allow: 'GET, HEAD' })],
    ['an unknown path', refused('GET', '/nowhere', 'no_handler')],
    ['a foreign page at an unknown path', refused('GET', '/nowhere', 'forbidden')],
  ])('%s', (_, given) => {
    expect(() => check(given)).not.toThrow();
  });
});

describe('anything else does not', () => {
  test.each<[string, Exchange, string]>([
    ['a status without a description', exchange('POST', start, 201, {}), 'this status is not described'],
    ['a missing field', exchange('POST', start, 200, { accepted: true }), "required property 'migration_id'"],
    [
      'a field too many',
      exchange('POST', start, 200, { migration_id: 'a', accepted: true, extra: 1 }),
      'must NOT have additional properties',
    ],
    [
      'a field too many further in',
      exchange('GET', '/_plugins/_aosc/_list', 200, list({ extra: 1 })),
      '/migrations/0 must NOT have additional properties',
    ],
    [
      'an unknown phase',
      exchange('GET', '/_plugins/_aosc/_list', 200, list({ phase: 'DONE' })),
      '/migrations/0/phase',
    ],
    [
      'a count of zero',
      exchange('GET', '/_plugins/_aosc/_list', 200, list({ shards_by_phase: { FAILED: 0 } })),
      '/migrations/0/shards_by_phase/FAILED must be >= 1',
    ],
    [
      'a setting that is no text',
      exchange('GET', '/_cluster/settings', 200, { persistent: { aosc: { x: 1 } }, transient: {} }),
      '/persistent/aosc',
    ],
    [
      'an error this endpoint does not have',
      exchange('GET', '/_plugins/_aosc/_list', 400, toErrorBody(new AoscError('precondition_failed', 'why'))),
      '/error/type',
    ],
    [
      'an error whose body has another status',
      { ...refused('POST', start, 'conflict'), status: 400 },
      '/status',
    ],
    ['an error of another shape', exchange('POST', start, 409, { error: 'why', status: 409 }), '/error'],
    ['text for JSON', { ...exchange('GET', '/healthz', 200, ''), body: 'ok' }, 'the body is not JSON'],
    [
      'another type',
      { ...exchange('GET', '/healthz', 200, { ok: true }), headers: { 'content-type': 'text/html' } },
      'content type [text/html] is not described',
    ],
    ['a status without its tag', without(exchange('GET', status, 304, '')), 'the header ETag is missing'],
    [
      'a body that says nothing is new',
      exchange('GET', status, 304, {}, { etag: 'W/"x"' }),
      'there should be no body',
    ],
    [
      'a wrong method without Allow',
      refused('PUT', '/healthz', 'method_not_allowed'),
      'Allow should name GET, HEAD',
    ],
    ['a wrong method that does something', exchange('PUT', start, 200, {}), 'this may only be refused'],
    ['a wrong method called unknown', refused('PUT', start, 'no_handler'), 'this may only be refused'],
    [
      'an unknown path that answers',
      exchange('GET', '/nowhere', 200, { ok: true }),
      'this may only be refused',
    ],
    [
      'an unknown path, called a wrong method without those it has',
      refused('GET', '/nowhere', 'method_not_allowed'),
      'this may only be refused',
    ],
  ])('%s', (_, given, phrase) => {
    expect(() => check(given)).toThrow(phrase);
  });
});
