import { createStatus } from './__tests__/create-status';
import { createFakeShell } from './__tests__/fake-shell';
import { refusal } from './__tests__/serve';
import { useApi } from './__tests__/use-api';

const run = useApi();

const counts = { missing: 0, extra: 0, version: 0, routing: 0, source: 0 };
const running = {
  migration_id: 'a__b__1700000000000',
  source_index: 'a',
  target_index: 'b',
  state: 'running',
  started_at_millis: 1,
  passes: 1,
  documents_compared: 0,
  unsettled: 0,
  progress: { groups: 2, groups_done: 0, part: 0 },
  differences: { counts, samples: [] },
  ranges: [],
};
const done = {
  ...running,
  state: 'done',
  documents_compared: 7000,
  progress: { ...running.progress, groups_done: 2 },
};
const differing = {
  ...done,
  differences: {
    counts: { ...counts, source: 1 },
    samples: [{ kind: 'source', id: 'x', routing: 'r', fields: ['title'] }],
  },
};

test('verify --wait begins a verification, and asks until it is done', async () => {
  const { code, out, seen } = await run(['verify', 'a', '--wait', '--interval', '1ms'], (what) => ({
    body: what.startsWith('POST') ? running : done,
  }));
  expect(seen.map(({ what }) => what)).toEqual([
    expect.stringMatching(/^POST .*\/a\/_verify$/),
    expect.stringMatching(/^GET .*\/a\/_verify$/),
  ]);
  expect(out).toContain(
    'a -> b: done, 7,000 documents compared, 2 of 2 groups of shards, pass 1\nno differences\n',
  );
  expect(code).toBe(0);
});

test('verify --show begins nothing, and a difference has an exit code of its own', async () => {
  const { code, out, seen } = await run(['verify', 'a', '--show'], () => ({ body: differing }));
  expect(seen).toHaveLength(1);
  expect(out).toContain('differences: 1 source\n  source  x (routing r): title\n');
  expect(code).toBe(7);
});

test('verify --wait outlasts an API that is away', async () => {
  const { code, err } = await run(['verify', 'a', '--wait', '--interval', '1ms'], (what, n) => {
    if (what.startsWith('POST')) return { body: running };
    return n < 7 ? refusal(503, 'unavailable', 'away') : { body: done };
  });
  expect(code).toBe(0);
  expect(err).toContain('no answer, asking again: ');
});

test('verify --wait ends at its --timeout', async () => {
  let now = 0;
  const make = (env: Record<string, string>) => ({ ...createFakeShell(env), now: () => (now += 10) });
  const reply = (what: string, n: number) =>
    what.includes('_status') ? { body: createStatus('ACTIVE', []) } : { body: n < 9 ? running : done };
  const { code, err } = await run(
    ['verify', 'a', '--wait', '--interval', '1ms', '--timeout', '30ms'],
    reply,
    make,
  );
  expect(code).toBe(8);
  expect(err).toContain('waited 30 ms for the end of the verification: it is ACTIVE');
});

test('documents that could not be judged are not taken for equal', async () => {
  const { code, out } = await run(['verify', 'a', '--show'], () => ({ body: { ...done, unsettled: 3 } }));
  expect(code).toBe(7);
  expect(out).toContain('no differences so far\n3 documents could not be judged: verify again\n');
});

test('a pass after the swap that has failed leaves documents out', async () => {
  const reason = 'what was written last before the swap is not verified: no answer';
  const { code, out } = await run(['verify', 'a', '--show'], () => ({ body: { ...done, reason } }));
  expect(code).toBe(7);
  expect(out).toContain(`no differences so far\n${reason}\n`);
});
