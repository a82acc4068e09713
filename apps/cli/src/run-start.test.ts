import { createStatus } from './__tests__/create-status';
import { createFakeShell } from './__tests__/fake-shell';
import { refusal } from './__tests__/serve';
import { useApi } from './__tests__/use-api';

const run = useApi();
const started = { body: { migration_id: 'a__b__0', accepted: true } };

test('start prints the id, and sends flags as options', async () => {
  const args = ['start', 'a', 'b', '--alias', 'al', '--max-rounds', '5', '--target-ready-timeout', '2m'];
  const more = [
    '--target-setting',
    'number_of_replicas=0',
    '--target-setting',
    'index.x=null',
    '--accept-data-loss',
    '--create-alias',
    '--yes',
  ];
  const { code, out, seen } = await run(
    [...args, ...more, '--script', 'x', '--script-params', '{"p":1}'],
    () => started,
  );
  expect([code, out]).toEqual([0, 'a__b__0\n']);
  expect(seen[0]?.authorization).toBe('ApiKey top-secret');
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
    target_index: 'b',
    alias: 'al',
    transform_script: { type: 'inline', source: 'x', params: { p: 1 } },
    options: {
      max_convergence_rounds_per_shard: 5,
      target_ready_timeout_seconds: 120,
      accept_data_loss_if_custom_routing_is_used: true,
      create_alias: true,
      transient_target_settings: { 'index.number_of_replicas': '0', 'index.x': null },
    },
  });
});

test.each([
  ['target index [b] not found', '"aosc create-target" makes one like the source'],
  [
    'Set options.accept_data_loss_if_custom_routing_is_used=true to proceed.',
    'here the option is --accept-data-loss. Nothing is lost: if two documents can not both live in the target, the migration fails',
  ],
  ['or set options.create_alias=true to have the swap create it', 'here the option is --create-alias'],
])('a start that is refused (%s) says what the command has for it', async (reason, hint) => {
  const { code, err } = await run(['start', 'a', 'b', '--alias', 'c'], () =>
    refusal(400, 'illegal_argument_exception', reason),
  );
  expect(code).toBe(3);
  expect(err).toContain(`${reason} (400 `);
  expect(err.trimEnd().endsWith(`; ${hint}`)).toBe(true);
});

describe('a dry run of a start', () => {
  const args = ['start', 'a', 'b', '--alias', 'al', '--watch', '--dry-run'];

  test('asks the API what would be started, and names the aliases that stay behind', async () => {
    const check = {
      dry_run: true,
      source_index: 'a',
      target_index: 'b',
      alias: 'al',
      shard_routing_mode: 'SAME_SHARD',
      aliases_left_behind: ['x'],
    };
    const { code, out, seen } = await run(args, () => ({ body: check }));
    expect([code, seen.map(({ what }) => what)]).toEqual([0, ['POST /_plugins/_aosc/a/_start?dry_run=true']]);
    expect(out).toBe(
      'would copy a -> b (SAME_SHARD), and move al\n' +
        'these aliases stay on a, which takes no writes after the swap: x\n',
    );
  });

  test('tells every refusal, each with what helps against it', async () => {
    const type = 'illegal_argument_exception';
    const reasons = ['target index [b] not found', 'alias [al] is not on it, or options.create_alias=true'];
    const root_cause = reasons.map((reason) => ({ type, reason }));
    const reply = () => ({
      status: 400,
      body: { error: { root_cause, type, reason: reasons[0] }, status: 400 },
    });
    const { code, err } = await run(args, reply);
    expect([code, err.split('\n')]).toEqual([
      3,
      [
        'It would be refused for 2 reasons (400 illegal_argument_exception):',
        '- target index [b] not found; "aosc create-target" makes one like the source',
        '- alias [al] is not on it, or options.create_alias=true; here the option is --create-alias',
        '',
      ],
    ]);
    const asJson = JSON.parse((await run([...args, '--json'], reply)).err) as { error: { reasons: unknown } };
    expect(asJson.error.reasons).toHaveLength(2);
  });
});

describe('a start that creates its alias asks', () => {
  const args = ['start', 'a', 'b', '--alias', 'typo', '--create-alias'];
  const indices = [
    { name: 'a', aliases: ['real'] },
    { name: 'a2', aliases: ['typo'] },
  ];
  const reply = (what: string) =>
    what.includes('_indices') ? { body: { indices, truncated: false } } : started;
  const posts = (seen: readonly { readonly what: string }[]) =>
    seen.filter(({ what }) => what.startsWith('POST')).length;

  test.each([
    ['y', 1],
    ['', 0],
  ])('and %j starts %i', async (answer, expected) => {
    const { code, err, seen } = await run(args, reply, (env) =>
      createFakeShell(env, { isTty: true, answer }),
    );
    expect([code, posts(seen)]).toEqual([0, expected]);
    expect(err).toContain(
      'Applications that use a, real are not moved: they stay on a, which takes no writes after the swap.',
    );
  });

  test('not when the alias is on the source, and not with --yes, which a script has to say', async () => {
    const own = await run(['start', 'a', 'b', '--alias', 'real', '--create-alias'], reply);
    expect([own.code, own.err]).toEqual([0, '']);
    const script = await run(args, reply);
    expect([script.code, posts(script.seen)]).toEqual([2, 0]);
    expect((await run([...args, '--yes'], reply)).code).toBe(0);
  });
});

test('a start names the aliases that stay behind', async () => {
  const body = { ...started.body, aliases_left_behind: ['x', 'y'] };
  const { err } = await run(['start', 'a', 'b', '--alias', 'al'], () => ({ body }));
  expect(err).toBe('these aliases stay on a, which takes no writes after the swap: x, y\n');
});

test.each([
  ['exact', 0],
  ['different', 7],
] as const)('a rehearsal that ends as %s is waited for', async (outcome, expected) => {
  const status = createStatus('CANCELLED', [], { migration_id: 'a__b__0', rehearsal: { outcome } });
  const args = ['start', 'a', 'b', '--alias', 'c', '--rehearse'];
  const reply = (what: string) => (what.startsWith('POST') ? started : { body: status });
  const waited = await run([...args, '--wait'], reply);
  expect([waited.code, waited.out]).toEqual([expected, `a__b__0\nCANCELLED, rehearsed: ${outcome}\n`]);
  expect(JSON.parse(waited.seen[0]?.body ?? '')).toMatchObject({ options: { rehearse: true } });
  expect((await run([...args, '--watch'], reply)).code).toBe(expected);
});

test.each(['--wait', '--watch'])('start %s ends at its --timeout', async (flag) => {
  const args = ['start', 'a', 'b', '--alias', 'c', flag, '--interval', '100ms', '--timeout', '150ms'];
  const { code, err } = await run(args, (what, n) =>
    what.startsWith('POST') ? started : { body: createStatus(n < 9 ? 'ACTIVE' : 'COMPLETED', []) },
  );
  expect(code).toBe(8);
  expect(err).toContain('waited 150 ms for');
});

test('a time that no timer takes is refused', async () => {
  const { code, err, seen } = await run(['wait', 'a', '--timeout', '25d'], () => started);
  expect([code, seen]).toEqual([2, []]);
  expect(err).toContain('Expected at most 24d.');
});
