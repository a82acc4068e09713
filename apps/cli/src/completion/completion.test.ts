import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createProgram } from '../program';
import { useApi } from '../__tests__/use-api';
import { completeWords, type Known } from './complete';
import { scripts } from './scripts';

const program = createProgram(() => Promise.resolve());
const known: Known = { indices: ['cities-v1', 'cities-v2', 'logs'], ids: ['cities-v1__cities-v2__1'] };
const noApi = () => Promise.reject(new Error('the API is not asked here'));

/** What is offered for a line that ends at the cursor. */
const offered = async (...words: readonly string[]) =>
  (await completeWords(program, words, () => Promise.resolve(known))).map(({ word }) => word);

test('commands, options and choices, without the API', async () => {
  const ask = async (...words: readonly string[]) =>
    (await completeWords(program, words, noApi)).map(({ word }) => word);
  expect(await ask('st')).toEqual(['start', 'status']);
  expect(await ask('__')).toEqual([]);
  expect(await ask('settings', '')).toEqual(['get', 'set', 'diff', 'profile']);
  expect(await ask('settings', 'profile', 'off')).toEqual(['offline']);
  expect(await ask('start', 'a', 'b', '--al')).toEqual(['--alias']);
  expect(await ask('completion', 'f')).toEqual(['fish']);
  expect(await ask('list', '-o', '')).toEqual(['json', 'yaml', 'wide']);
});

test('names of indices, ids, phases and settings where they belong', async () => {
  expect(await offered('status', 'ci')).toEqual(['cities-v1', 'cities-v2', ...known.ids]);
  expect(await offered('start', 'cities-v1', 'l')).toEqual(['logs']);
  expect(await offered('start', 'cities-v1', 'logs', '')).toEqual([]);
  expect(await offered('wait', 'a', '--migration-id', '')).toEqual(known.ids);
  expect(await offered('wait', 'a', '--for', 'CO')).toEqual(['COMPLETING', 'COMPLETED']);
  expect(await offered('list', '--phase', 'CANCELLE')).toEqual(['CANCELLED']);
  expect(await offered('settings', 'get', 'aosc.target.r', 'x')).toEqual([]);
  expect(await offered('settings', 'get', 'x', 'aosc.target.r')).toEqual(['aosc.target.ready_timeout']);
  expect(await offered('settings', 'set', 'aosc.target.r')).toEqual(['aosc.target.ready_timeout=']);
});

test('a value of an option is no command, and options of the program stand behind any command', async () => {
  expect(await offered('--context', 'status', 'li')).toEqual(['list']);
  expect(await offered('start', '--alias', '')).toEqual([]);
  expect(await offered('wait', 'a', '--js')).toEqual(['--json']);
});

const run = useApi();

test('aosc __complete asks the API for names, and goes without them when it is away', async () => {
  const item = {
    migration_id: 'a__b__0',
    source_index: 'a',
    target_index: 'b',
    alias: 'al',
    phase: 'ACTIVE',
    start_time_millis: 0,
    last_updated_millis: 1,
    shards_by_phase: {},
    is_terminal: false,
    shard_count: 1,
    elapsed_seconds: 1,
  };
  const body = { migrations: [item], truncated: false, active_count: 1 };
  expect((await run(['__complete', '--', 'status', ''], () => ({ body }))).out).toBe('a\t\nb\t\na__b__0\t\n');
  const away = await run(['__complete', '--', 'status', ''], () => ({ status: 400, body: {} }));
  expect([away.code, away.out, away.err]).toEqual([0, '', '']);
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

/** A program called `aosc` that answers as the real one, and keeps what it was asked. */
function standIn(folder: string): { readonly env: NodeJS.ProcessEnv } {
  const file = join(folder, 'aosc');
  writeFileSync(file, `#!/bin/sh\nprintf '%s\\t%s\\n' start 'start a migration' "$*" 'what was asked'\n`);
  chmodSync(file, 0o755);
  return { env: { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` } };
}

testWith('bash', 'bash offers what the command answers', (folder) => {
  const ask = `COMP_WORDS=(aosc settings 'get' 'aosc.b'); COMP_CWORD=3; _aosc; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['-c', `${scripts.bash}\n${ask}`], {
    encoding: 'utf8',
    ...standIn(folder),
  });
  expect(out).toBe('start\n__complete\\ --\\ settings\\ get\\ aosc.b\n');
});

testWith('bash', 'bash gets no name that it would run', () => {
  const name = "orders-a`touch x`;$(touch y)&z'{}";
  const words = `touch() { echo ran; }; eval "set -- $COMPREPLY"; printf '%s' "$1"`;
  const script = `aosc() { cat <<'END'\n${name}\t\nEND\n}; COMP_WORDS=(aosc status or); COMP_CWORD=2; _aosc; ${words}`;
  const out = execFileSync('bash', ['-c', `${scripts.bash}\n${script}`], { encoding: 'utf8' });
  expect(out).toBe(name);
});

testWith('fish', 'fish offers what the command answers', (folder) => {
  const file = join(folder, 'aosc.fish');
  writeFileSync(file, scripts.fish);
  const script = `source ${file}; complete -C 'aosc settings ge'`;
  const out = execFileSync('fish', ['--no-config', '-c', script], { encoding: 'utf8', ...standIn(folder) });
  expect(out).toContain('__complete -- settings ge');
});

testWith('zsh', 'zsh finds it for the command, and loads it', (folder) => {
  writeFileSync(join(folder, '_aosc'), scripts.zsh);
  const load = `fpath=(${folder} $fpath); autoload -Uz compinit; compinit -u -D; print $_comps[aosc]; autoload +X _aosc; whence -w _aosc`;
  expect(execFileSync('zsh', ['-f', '-c', load], { encoding: 'utf8' })).toBe('_aosc\n_aosc: function\n');
});
