import { createStatus } from './__tests__/create-status';
import { useApi } from './__tests__/use-api';

const run = useApi();

const digest = 'd'.repeat(64);
const found = {
  migration_id: 'a__b__1700000000000',
  count: 1200,
  digest,
  reasons: [
    { type: 'mapper_parsing_exception', reason: 'no number', count: 1199, sample_ids: ['x', 'y'] },
    { type: 'strict_dynamic_mapping_exception', reason: 'no field', count: 1, sample_ids: ['z'] },
  ],
  documents: [],
};

test('set-aside shows reasons with some ids, and the digest that accepts them', async () => {
  const { code, out, seen } = await run(['set-aside', 'a'], () => ({ body: found }));
  expect(seen.map(({ what }) => what)).toEqual([expect.stringMatching(/^GET .*\/a\/_set_aside$/)]);
  expect(out).toBe(
    [
      '1,200 documents are set aside',
      '1,199  mapper_parsing_exception: no number',
      '  x, y, …',
      '1  strict_dynamic_mapping_exception: no field',
      '  z',
      `digest ${digest}`,
      '',
    ].join('\n'),
  );
  expect(code).toBe(0);
});

test('set-aside --retry has them written again; a dry run does not', async () => {
  const answer = { body: { accepted: true, documents: 3 } };
  const { out, seen } = await run(['set-aside', 'a', '--retry'], () => answer);
  expect(seen.map(({ what }) => what)).toEqual([expect.stringMatching(/^POST .*\/a\/_set_aside\/_retry$/)]);
  expect(out).toBe('3 documents are written again\n');
  const dry = await run(['--dry-run', 'set-aside', 'a', '--retry'], () => ({ body: found }));
  expect(dry.seen.map(({ what }) => what)).toEqual([expect.stringMatching(/^GET /)]);
});

test('cutover --accept-set-aside sends the digest', async () => {
  const { seen } = await run(['cutover', 'a', '--accept-set-aside', digest], () => ({
    body: { accepted: true, phase: 'PREPARING_TARGET', cutover: { state: 'converging' } },
  }));
  expect(seen[0]?.body).toBe(JSON.stringify({ accept_set_aside: digest }));
});

test.each([
  [
    'postponed',
    'the documents are accepted, the cutover is not approved',
    'would accept the documents, but not approve the cutover',
  ],
  ['approved', 'the cutover is approved', 'would approve the cutover'],
])('cutover --accept-set-aside where the order is %s says: %s', async (type, done, would) => {
  const cutover = { state: 'converging', order: { type, at_millis: 1 } };
  const command = ['cutover', 'a', '--accept-set-aside', digest];
  const { out } = await run(command, () => ({ body: { accepted: true, phase: 'ACTIVE', cutover } }));
  expect(out).toBe(`a: ${done}; now it is converging\n`);
  const status = { ...createStatus('ACTIVE', []), cutover };
  const dry = await run([...command, '--dry-run'], () => ({ body: status }));
  expect(dry.out).toContain(would);
});
