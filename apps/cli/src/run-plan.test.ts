import { useApi } from './__tests__/use-api';

const run = useApi();
const plan = (verdict: string) => ({
  plan_id: '1.abc',
  source_index: 'a',
  target_index: 'b',
  alias: 'al',
  verdict,
  checks: [
    { id: 'source.index', verdict: 'ok', evidence: 'The source is an open index.' },
    { id: 'alias.left_behind', verdict: 'warn', evidence: '[x] stay on [a]', remedy: 'Move them.' },
    ...(verdict === 'refuse'
      ? [{ id: 'target.index', verdict, evidence: 'target index [b] not found', remedy: 'Create it.' }]
      : []),
  ],
  differences: [
    { path: 'settings.index.codec', target: 'zlib' },
    { path: 'mappings.properties.n.type', source: 'long', target: 'text' },
    { path: 'mappings.properties.m', source: {} },
  ],
  differences_truncated: false,
  documents: {
    looked_at: 1_000,
    refused: [{ reason: 'mapper_parsing_exception: no number', count: 2, ids: ['1', '2'] }],
    script: {
      changed: 998,
      unchanged: 2,
      renamed: 0,
      collisions: [],
      fields: [{ field: 'm', added: 998, removed: 0, changed: 0 }],
      failed: [],
    },
  },
  estimates: {
    bytes: { value: 1_536_000, how: 'the mean of 1000 documents that were read, times all documents' },
    pause_ms: { value: 84, how: 'measured' },
  },
});
const args = ['plan', 'a', 'b', '--alias', 'al'];

test('a plan: what was found, the differences, a sum, and how to start just this', async () => {
  const { code, out, seen } = await run(
    [...args, '--max-rounds', '5', '--documents', '1000', '--seconds', '0'],
    () => ({ body: plan('warn') }),
  );
  expect([code, seen.map(({ what, body }) => [what, body])]).toEqual([
    0,
    [
      [
        'POST /_plugins/_aosc/a/_plan',
        '{"target_index":"b","alias":"al","options":{"max_convergence_rounds_per_shard":5},"documents":1000,"seconds":0}',
      ],
    ],
  ]);
  expect(out.split('\n')).toEqual([
    'a -> b, alias al',
    'warn   alias.left_behind    [x] stay on [a]',
    '       -> Move them.',
    '+ settings.index.codec        "zlib"',
    '~ mappings.properties.n.type  "long" -> "text"',
    '- mappings.properties.m       {}',
    'Documents tried: 1,000, refused by the target: 2',
    'The script changes 998, renames 0, fails on 0',
    '  m: added 998, changed 0, removed 0',
    'to copy       ~ 1.5 MB',
    'writes pause  ~ 84 ms',
    'Plan: 1 fine, 1 to look at, 0 in the way.',
    'To start just this: the same options with --plan 1.abc',
    '',
  ]);
});

test('a plan that would be refused: exit code 9, with what the command has for it, also in a dry run', async () => {
  const { code, out } = await run([...args, '--dry-run', '-o', 'wide'], () => ({ body: plan('refuse') }));
  expect(code).toBe(9);
  expect(out).toContain('ok     source.index         The source is an open index.\n');
  expect(out).toContain(
    'refuse target.index         target index [b] not found; "aosc create-target" makes one like the source\n',
  );
  expect(out).toContain('writes pause  ~ 84 ms   measured\n');
  expect(out).not.toContain('--plan');
});

test('a start takes the id of a plan', async () => {
  const { seen } = await run(['start', 'a', 'b', '--alias', 'al', '--plan', '1.abc'], () => ({
    body: { migration_id: 'a__b__0', accepted: true },
  }));
  expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({ plan: '1.abc' });
});
