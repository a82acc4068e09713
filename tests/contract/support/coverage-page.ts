import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../../..');

/** One line of the contract, or one decided difference. */
export interface ContractLine {
  readonly id: string;
  /** in the project's own words */
  readonly says: string;
  /** a test elsewhere that shows it */
  readonly elsewhere: { readonly file: string; readonly title: string } | undefined;
}

/** The lines that docs/reliability/contract-coverage.md lists. @throws for a row it can't read */
export function readCoveragePage(): readonly ContractLine[] {
  return readFileSync(join(root, 'docs/reliability/contract-coverage.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map(readLine);
}

function readLine(line: string): ContractLine {
  const [id = '', says = '', elsewhere = '', ...more] = line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
  const [, file, title] = /^`([^`]+)`: (.+)$/.exec(elsewhere) ?? [];
  if (says === '' || more.length > 0 || (elsewhere !== '' && (file === undefined || title === undefined))) {
    throw new Error(`docs/reliability/contract-coverage.md has a row that can't be read: ${line}`);
  }
  return {
    id: id.replaceAll('`', ''),
    says,
    elsewhere: file === undefined || title === undefined ? undefined : { file, title },
  };
}

/** The source of a test file. @param file from the root of the project */
export function readTestFile(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}
