import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Linter } from 'eslint';
import regexp from 'eslint-plugin-regexp';
import { parser } from 'typescript-eslint';
import { root } from './root.mjs';

/**
 * Node's own engine goes back: an expression must take time in proportion to its text, whatever the text is. Lint
 * holds the whole project to these rules.
 */
export const linearExpressions = {
  plugins: { regexp },
  rules: {
    'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
    'regexp/no-super-linear-move': ['error', { report: 'potential', ignorePartial: false }],
  },
};

/** `node scripts/linear-expressions.mjs [room …]`, or an expression on stdin: what breaks these rules, as JSON. */
function main(rooms) {
  const config = [{ files: ['**/*.ts'], languageOptions: { parser }, ...linearExpressions }];
  const findIn = (source) => new Linter().verify(source, config, { filename: 'a.ts' });
  const files = rooms.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.includes('__tests__') && !name.endsWith('.test.ts'))
      .map((name) => join(room, name)),
  );
  const sources =
    rooms.length === 0
      ? [['stdin', readFileSync(0, 'utf8')]]
      : files.map((name) => [name, readFileSync(join(root, name), 'utf8')]);
  const problems = sources.flatMap(([name, source]) =>
    findIn(source)
      // The rest is comments that switch off rules which are not looked at here.
      .filter(({ ruleId, fatal }) => fatal || ruleId?.startsWith('regexp/'))
      .map(({ ruleId, line }) => `${name}:${line} ${ruleId}`),
  );
  console.log(JSON.stringify({ files: sources.length, problems }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
