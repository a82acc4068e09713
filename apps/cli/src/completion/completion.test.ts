import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgram } from '../program';
import { writeBash } from './bash';
import { allNodes, describeTree } from './describe-tree';
import { writeFish } from './fish';
import { writeZsh } from './zsh';

const tree = describeTree(createProgram(() => Promise.resolve()));

/** What bash offers for a line that ends at the cursor. */
function offered(...words: readonly string[]): readonly string[] {
  const line = ['aosc', ...words].map((word) => `'${word}'`).join(' ');
  const ask = `COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _aosc; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', `${writeBash(tree)}\n${ask}`], { encoding: 'utf8' })
    .trim()
    .split('\n');
}

test('bash: commands, options and choices', () => {
  expect(offered('st')).toEqual(['start', 'status']);
  expect(offered('settings', '')).toEqual(expect.arrayContaining(['get', 'set', 'diff', 'profile']));
  expect(offered('settings', 'profile', 'off')).toEqual(['offline']);
  expect(offered('start', 'a', 'b', '--al')).toEqual(['--alias']);
  expect(offered('completion', 'f')).toEqual(['fish']);
});

test('bash: a value of an option is no command', () => {
  expect(offered('--context', 'status', 'li')).toEqual(['list']);
  expect(offered('start', '--alias', '')).toEqual(['']);
});

test('bash: options of the program behind any command', () => {
  expect(offered('wait', 'a', '--js')).toEqual(['--json']);
});

test('every command and option is in each script', () => {
  const scripts = [writeBash(tree), writeZsh(tree), writeFish(tree)];
  for (const { path, options } of allNodes(tree)) {
    const words = [path.at(-1) ?? 'aosc', ...options.map(({ long }) => long.slice(2))];
    for (const script of scripts) for (const word of words) expect(script).toContain(word);
  }
});

const isThere = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

/** A test with the shell itself. @param name ends with the reason where the machine has no such shell */
const testWith = (shell: string, name: string, act: (folder: string) => void) =>
  isThere(shell)
    ? test(name, () => {
        const folder = mkdtempSync(join(tmpdir(), 'aosc-completion-'));
        try {
          act(folder);
        } finally {
          rmSync(folder, { recursive: true });
        }
      })
    : test.skip(`${name} (not run: there is no ${shell} on PATH)`, () => undefined);

testWith('fish', 'fish loads it, and offers commands, options and choices', (folder) => {
  const file = join(folder, 'aosc.fish');
  writeFileSync(file, writeFish(tree));
  const ask = (line: string): readonly string[] => {
    const script = `source ${file}; function aosc; end; complete -C '${line}'`;
    const said = execFileSync('fish', ['--no-config', '-c', script], { encoding: 'utf8' });
    return said
      .trim()
      .split('\n')
      .map((offer) => offer.split('\t')[0] ?? '');
  };
  expect(ask('aosc st')).toEqual(['start', 'status']);
  expect(ask('aosc settings ')).toEqual(['diff', 'get', 'profile', 'set']);
  expect(ask('aosc settings profile off')).toEqual(['offline']);
  expect(ask('aosc start a b --al')).toEqual(['--alias']);
});

testWith('zsh', 'zsh finds it for the command, and loads it', (folder) => {
  writeFileSync(join(folder, '_aosc'), writeZsh(tree));
  const load = `fpath=(${folder} $fpath); autoload -Uz compinit; compinit -u -D; print $_comps[aosc]; autoload +X _aosc; whence -w _aosc`;
  expect(execFileSync('zsh', ['-f', '-c', load], { encoding: 'utf8' })).toBe('_aosc\n_aosc: function\n');
});
