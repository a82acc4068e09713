import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { planChecks } from './plan-checks';

test('docs/reference/plan.md lists each check with what it says when all is well', () => {
  const page = readFileSync(join(__dirname, '../../../docs/reference/plan.md'), 'utf8');
  const listed = [...page.matchAll(/^- `([a-z_]+\.[a-z_]+)`: (.+)$/gm)].map(([, id, ok]) => [id, ok]);
  expect(listed).toEqual(Object.entries(planChecks).map(([id, { ok }]) => [id, ok]));
});
