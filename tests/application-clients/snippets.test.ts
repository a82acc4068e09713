import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBlocks } from '../support/page-blocks';

/** What stands between the two marks of a file. */
function readSnippet(path: string): string {
  const text = readFileSync(join(__dirname, path), 'utf8');
  const [, snippet] = /snippet:begin\n(.*?)^\S+ snippet:end$/ms.exec(text) ?? [];
  if (snippet === undefined) throw new Error(`${path} has no marks`);
  return snippet;
}

test.each([
  ['js', 'javascript/write-all.mjs'],
  ['python', 'python/write_all.py'],
  ['java', 'java/src/RetryingIngester.java'],
] as const)('the page shows the %s that is tested', (language, path) => {
  expect(readBlocks('docs/how-to/let-clients-retry.md', language)).toEqual([readSnippet(path)]);
});

test('the README shows the lines that a client needs, as they are tested', () => {
  expect(readBlocks('README.md', 'js')).toEqual([readSnippet('javascript/while-blocked.mjs')]);
});
