import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** ESLint can't be loaded into jest: it is asked as a process. */
const script = join(__dirname, '../../../scripts/linear-expressions.mjs');

function check(rooms: readonly string[], input = ''): unknown {
  const { stdout, stderr } = spawnSync(process.execPath, [script, ...rooms], { input, encoding: 'utf8' });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

test('no expression that sees texts from outside takes more time than in proportion to them', () => {
  const rooms = ['packages/telemetry/src', 'apps/api/src/http', 'apps/api/src/limits', 'apps/api/src/auth'];
  expect(check(rooms)).toEqual({ files: expect.any(Number) as unknown, problems: [] });
});

test.each([
  // the user of a URL, as it was looked for once: each letter of a long name was a beginning of it
  ["text.replace(/([a-z][a-z0-9+.-]*:\\/\\/)[^/?#\\s\"']*@/gi, '');", 'no-super-linear-move'],
  ['/^(a+)+$/.test(text);', 'no-super-linear-backtracking'],
])('the rules find %s', (expression, rule) => {
  expect(check([], `declare const text: string; ${expression}`)).toEqual({
    files: 1,
    problems: [`stdin:1 regexp/${rule}`],
  });
});
