import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findTestFile } from '@aosc/testkit';

const root = join(__dirname, '../../..');
const path = 'docs/reliability/contract-coverage.md';

/** One line of the contract, or one decided difference. */
export interface ContractLine {
  readonly id: string;
  /** in the project's own words */
  readonly says: string;
  /** a test elsewhere that shows it */
  readonly elsewhere: { readonly file: string; readonly title: string } | undefined;
}

/** The lines that docs/reliability/contract-coverage.md lists. @throws for an entry it can't read */
export function readCoveragePage(): readonly ContractLine[] {
  const page = readFileSync(join(root, path), 'utf8');
  return page
    .split(/^(?=- )/m)
    .slice(1)
    .map(readEntry);
}

/** An entry is an id with what it says, and below it the test elsewhere, if there is one. */
function readEntry(text: string): ContractLine {
  const entry = text.split('\n\n', 1)[0]?.trimEnd() ?? '';
  const found = /^- `([^`\n]+)`: ([^\n]+)(?:\n {2}- `([^`\n]+)`: ([^\n]+))?$/.exec(entry);
  if (found === null) throw new Error(`${path} has an entry that can't be read: ${entry}`);
  const [, id = '', says = '', file, title] = found;
  return { id, says, elsewhere: file === undefined || title === undefined ? undefined : { file, title } };
}

/** The source of a test file. @param name from the root of the project, or only the file's name where it is unique */
export function readTestFile(name: string): string {
  const file = findTestFile(root, name);
  if (file === undefined) throw new Error(`${name}: no such test, or more than one`);
  return readFileSync(file, 'utf8');
}
