import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { ListAnswer, StartAnswer, StatusDocument } from '@aosc/contract';
import type { Schemas } from './types.ts';

test('types and schemas are those of the OpenAPI document', () => {
  const root = join(__dirname, '../../../..');
  const tool = [join(root, 'scripts/run-test-tool.mjs'), join(__dirname, '../__tests__/main.ts'), '--check'];
  const { status, stderr } = spawnSync(process.execPath, tool, { cwd: root, encoding: 'utf8' });
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
});

/** Each assignment is a test that the compiler makes. */
const sameTypes = {
  status: (ours: Schemas['MigrationStatus']): Omit<StatusDocument, 'shards' | 'transition_history'> => ours,
  list: (ours: Schemas['ListAnswer']): Readonly<Pick<ListAnswer, 'truncated' | 'active_count'>> => ours,
  start: (ours: Schemas['StartAnswer']): StartAnswer => ours,
};

test('and fit those of the contract', () => {
  expect(Object.keys(sameTypes)).toHaveLength(3);
});
