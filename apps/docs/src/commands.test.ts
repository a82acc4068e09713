import { join } from 'node:path';
import { checkCommand } from './__tests__/check-command';
import { ShellReader } from './__tests__/shell-commands';
import { collectPages } from './collect-pages';
import { withChildren } from './page';

const root = join(__dirname, '../../..');
const pages = collectPages(root);

/** A block that names no language holds commands, too. */
const shells = new Set(['', 'sh', 'bash']);

/** `npm run x` and `aosc x` in the middle of a sentence; placeholders and a `--` at the end make it no whole command. */
const isCommand = (text: string): boolean => /^(npm (run|test)|aosc) [^<…[]*[^<…[ -]$/.test(text);

async function problemsOf(script: string, reader = new ShellReader()): Promise<readonly string[]> {
  return (await Promise.all(reader.read(script).map(checkCommand))).flat();
}

test.each(pages.map(({ path, tokens }) => ({ path, tokens })))(
  'the commands of $path',
  async ({ tokens }) => {
    const reader = new ShellReader();
    const problems: string[] = [];
    for (const { type, info, content } of withChildren(tokens)) {
      const isScript = type === 'fence' ? shells.has(info) : type === 'code_inline' && isCommand(content);
      if (isScript)
        problems.push(...(await problemsOf(content, type === 'fence' ? reader : new ShellReader())));
    }
    expect(problems).toEqual([]);
  },
);

test('most commands of the pages are at the API, at OpenSearch or of this project', () => {
  const reader = new ShellReader();
  const blocks = pages.flatMap(({ tokens }) =>
    tokens.filter(({ type, info }) => type === 'fence' && shells.has(info)),
  );
  const programs = blocks.flatMap(({ content }) => reader.read(content)).map(([program]) => program);
  expect(programs.filter((program) => program === 'curl').length).toBeGreaterThan(30);
  expect(programs.filter((program) => program === 'npm').length).toBeGreaterThan(15);
});

describe('a mistake is reported', () => {
  const api = 'curl -XPOST 127.0.0.1:9650/_plugins/_aosc/a';
  test.each([
    ['a script that is not there', 'npm run stak', /no script stak/],
    ['a command that is not there', 'npm run --silent aosc -- stat a', /unknown command/],
    ['an option that is not there', 'aosc status a --wach', /unknown option/],
    ['an argument that is missing', 'aosc start a', /missing required argument/],
    ['arguments that npm would keep', 'npm run aosc status a', /after --/],
    ['a path that is not there', `${api}/_stop`, /no path/],
    ['a method that is not there', 'curl -XDELETE 127.0.0.1:9650/_plugins/_aosc/a/_status', /no DELETE/],
    [
      'a parameter that is not there',
      `${api}/_create_target?dryrun=true -d '{"target_index":"b"}'`,
      /dryrun/,
    ],
    ['a body that is no JSON', `${api}/_start -d '{"target_index": "b",}'`, /no JSON/],
    [
      'a body with an unknown field',
      `${api}/_start -d '{"target_index":"b","alias":"c","optons":{}}'`,
      /shape/,
    ],
    ['a body that is missing', `${api}/_start`, /needs a body/],
    [
      'a setting that is out of range',
      `curl -XPUT 127.0.0.1:9650/_cluster/settings -d '{"persistent":{"aosc.backfill.max_concurrent_per_node":-1}}'`,
      /shape/,
    ],
    ['a file that is not there', 'node scripts/hash.mjs', /no such file/],
    ['an unexpected program', 'wget x', /wget/],
    ['a command inside another', 'echo "$(npm run stak)"', /no script stak/],
    ['a command in a loop', 'for N in 1 2; do\n  npm run stak\ndone', /no script stak/],
  ])('%s', async (_, script, complaint) => {
    expect(await problemsOf(script)).toEqual([expect.stringMatching(complaint)]);
  });

  test('a quote without an end', () => {
    expect(() => new ShellReader().read(`echo "a`)).toThrow('quote');
  });
});

test('scripts are read as a shell reads them', () => {
  const script = [
    'A=1 B="x y" # a comment',
    'curl -d \'{"a": "$A"}\' \\',
    '  "u/$A/${B}" >out 2>&1 | head -n 1 && echo "say \\"$A\\""',
    "cat <<'END'\nno command\nEND",
    'if ! test -f z; then echo a\\ b; fi',
  ].join('\n');
  expect(new ShellReader().read(script)).toEqual([
    ['curl', '-d', '{"a": "$A"}', 'u/1/x y'],
    ['head', '-n', '1'],
    ['echo', 'say "1"'],
    ['cat'],
    ['test', '-f', 'z'],
    ['echo', 'a b'],
  ]);
});
