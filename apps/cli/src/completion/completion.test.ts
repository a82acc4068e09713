import { execFileSync } from 'node:child_process';
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
