import { refusal } from './__tests__/serve';
import { useApi } from './__tests__/use-api';
import { withHints } from './failure';

const run = useApi();
const item = {
  migration_id: 'orders-v1__orders-v2__1700000000000',
  source_index: 'orders-v1',
  target_index: 'orders-v2',
  alias: 'orders',
  phase: 'COMPLETED',
  start_time_millis: 0,
  last_updated_millis: 1,
  shards_by_phase: {},
  is_terminal: true,
  shard_count: 1,
  elapsed_seconds: 1,
};
const answer = (name: string, migrations: readonly object[]) => (what: string) =>
  what.includes('_list')
    ? { body: { migrations, truncated: false, active_count: 0 } }
    : refusal(404, 'resource_not_found_exception', `No migration found for index [${name}]`);

test.each([
  ['orders', 'orders is the alias in the migration of orders-v1: name that'],
  ['orders-v2', 'orders-v2 is the target in the migration of orders-v1: name that'],
  ['order-v1', 'did you mean orders-v1?'],
  ['orders-v1__orders-v2__170000000000', 'did you mean orders-v1__orders-v2__1700000000000?'],
  ['quite-other', '"aosc list" shows all migrations'],
])('status %s says what may be meant', async (name, hint) => {
  const { code, err } = await run(['status', name], answer(name, [item]));
  expect([code, err]).toEqual([
    4,
    `No migration found for index [${name}] (404 resource_not_found_exception); ${hint}\n`,
  ]);
});

test('without migrations there is nothing to be near to', async () => {
  const { err } = await run(['status', 'a'], answer('a', []));
  expect(err).toBe('No migration found for index [a] (404 resource_not_found_exception)\n');
});

test('an API that can not answer yet is asked again, and the user sees that', async () => {
  const { code, err } = await run(['list'], (_, n) =>
    n < 2
      ? refusal(503, 'service_unavailable_exception', 'OpenSearch is away')
      : { body: { migrations: [], truncated: false, active_count: 0 } },
  );
  expect([code, err.replace(/127\.0\.0\.1:\d+/, 'HOST')]).toEqual([
    0,
    'no answer yet from HOST (503): asking again\n',
  ]);
});

test('an address without its scheme is refused in words that say how it begins', async () => {
  const { code, err } = await run(['--url', 'nonsense', 'list'], () => ({ body: {} }));
  expect([code, err]).toEqual([
    2,
    'The address of the API: what was given is not a URL: it has to begin with http:// or https://\n',
  ]);
});

test.each([
  [
    'target index [b] is not empty (3 docs); use an empty target index',
    ['--alias', 'c'],
    'delete it and create it again (aosc create-target), or take another name',
  ],
  [
    'create_target needs options.copy [files] or [auto]: without it the target must exist',
    ['--alias', 'c', '--shards', '4'],
    'here --shards and --settings go with --copy files or --copy auto',
  ],
])('%s: in the words of this command', async (reason, flags, hint) => {
  const words = reason.startsWith('target') ? `Migration precondition check failed: ${reason}` : reason;
  const { code, err } = await run(['start', 'a', 'b', ...flags], () =>
    refusal(400, 'illegal_argument_exception', words),
  );
  expect([code, err]).toEqual([3, `${words} (400 illegal_argument_exception); ${hint}\n`]);
});

test('a server that speaks something else', () => {
  expect(withHints('other side closed', 'other side closed')).toContain(
    'another server may have this address',
  );
});

test('another server at the address', async () => {
  const { err } = await run(['list'], () => ({ status: 400, body: { error: 'other' } }));
  expect(err).toContain('another server has this address');
});
