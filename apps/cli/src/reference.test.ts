import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renewReference } from './__tests__/reference';

test('docs/reference/command-line.md is current; `npm run generate:command-line` renews it', () => {
  const page = readFileSync(join(__dirname, '../../../docs/reference/command-line.md'), 'utf8');
  expect(page).toBe(renewReference(page));
});
