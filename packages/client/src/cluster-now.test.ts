import { createStatus } from './__tests__/serve.ts';
import { describeAlias, describeIndex, tasksAfter } from './cluster-now.ts';
import type { Schemas } from './generated/types.ts';

type MigrationIndices = Schemas['MigrationIndices'];
type MigrationStatus = Schemas['MigrationStatus'];

const status = (phase: MigrationStatus['phase']) => createStatus(phase, { alias: 'c' });

/** What the cluster says, unless a test says otherwise: the alias has moved, and the source is left blocked. */
const now = (parts: Partial<MigrationIndices> = {}): MigrationIndices => ({
  migration_id: 'a__b__1',
  at_millis: 5,
  alias: { name: 'c', indices: ['b'] },
  source: index('a', { is_write_blocked: true, blocked_by: 'a__b__1', document_count: 1234 }),
  target: index('b', { aliases: ['c'] }),
  ...parts,
});
const index = (name: string, parts: object = {}) => ({
  name,
  state: 'same' as const,
  aliases: [],
  is_write_blocked: false,
  ...parts,
});
const requests = (phase: MigrationStatus['phase'], parts: Partial<MigrationIndices> = {}) =>
  tasksAfter(status(phase), now(parts)).map(({ request }) => request && `${request.method} ${request.path}`);

test('what the cluster says of an index, and whose block it is', () => {
  expect(describeIndex(now().source, 'a__b__1')).toBe(
    '1,234 searchable documents, takes no writes (the write block of this migration)',
  );
  expect(describeIndex(now().source, 'other')).toContain('(the write block of the migration a__b__1)');
  expect(describeIndex(now().target, 'a__b__1')).toBe('takes writes');
  expect(describeIndex(index('a', { state: 'missing' }), 'x')).toBe('does not exist');
  expect(describeIndex(index('a', { state: 'replaced' }), 'x')).toBe(
    'another index of this name, takes writes',
  );
});

test('where the alias is', () => {
  expect(describeAlias(now())).toBe('on b');
  expect(describeAlias(now({ alias: { name: 'c', indices: [] } }))).toBe('on no index');
});

test('after a completed migration the source can go, or take writes again', () => {
  expect(requests('COMPLETED')).toEqual(['DELETE /a', 'PUT /a/_settings']);
  expect(requests('COMPLETED', { source: index('a', { state: 'missing' }) })).toEqual([]);
  expect(requests('COMPLETED', { source: index('a') })).toEqual(['DELETE /a']);
});

test.each([
  'source shard [0] was written to after the swap: another client writes past the alias. Those writes are not in the target',
  'it is not known whether writes have reached source shard [0] since the swap. Those writes would not be in the target',
])('writes that the note of a completed migration names may be in the source alone: %s', (error_message) => {
  const tasks = tasksAfter({ ...status('COMPLETED'), error_message }, now({ source: index('a') }));
  expect(tasks).toEqual([
    { text: 'Read the note, and bring over what it names.' },
    { text: 'Do not delete a before that: no other index may have it.' },
  ]);
});

test('a note on other things keeps no source from being deleted', () => {
  const error_message = 'set back on target index [b] yourself: index.refresh_interval';
  const tasks = tasksAfter({ ...status('COMPLETED'), error_message }, now({ source: index('a') }));
  expect(tasks).toEqual([
    { text: 'Read the note.' },
    {
      text: 'Delete a when you do not need it any more.',
      request: { method: 'DELETE', path: '/a' },
    },
  ]);
});

test('a source that other aliases still use is not to be deleted', () => {
  const source = index('a', { aliases: ['old'], is_write_blocked: true });
  const [first, ...others] = tasksAfter(status('COMPLETED'), now({ source }));
  expect(first?.text).toContain('Applications that use old still reach a, which refuses their writes');
  expect(others.map(({ request }) => request)).toEqual([
    { method: 'PUT', path: '/a/_settings', body: '{"index.blocks.write": null}' },
  ]);
});

test('an alias that was moved on is reported, and nothing that carries it is deleted', () => {
  const alias = { name: 'c', indices: ['v5'] };
  expect(tasksAfter(status('COMPLETED'), now({ alias }))[0]?.text).toContain('on v5 now, not on b');
  expect(requests('COMPLETED', { alias: { name: 'c', indices: ['a'] } })).toEqual([undefined]);
});

test('after a cancel the target is made again, unless it serves an alias, and a block is named', () => {
  const target = index('b');
  const source = index('a');
  expect(requests('CANCELLED', { source, target })).toEqual(['DELETE /b']);
  expect(requests('CANCELLED', { source })).toEqual([]);
  expect(requests('CANCELLED', { target })).toEqual(['DELETE /b', 'PUT /a/_settings']);
});

test('what another migration uses is neither deleted nor unblocked', () => {
  const target = index('b', { in_use: true });
  const source = index('a', { is_write_blocked: true, blocked_by: 'a__b__2' });
  expect(requests('CANCELLED', { source, target })).toEqual([]);
  expect(describeIndex(target, 'a__b__1')).toBe('takes writes, in use by another migration');
});
