import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrationPhases, shardPhases } from '@aosc/contract';
import { migrationTransitions } from './migration/transitions';
import { jobOfShardPhase, shardTransitions } from './shard/transitions';

const page = readFileSync(join(__dirname, '../../../docs/reference/phases.md'), 'utf8');

/** Rows of the table under a heading, by the names of its columns. */
function readTable(heading: string): readonly ReadonlyMap<string, string>[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  const [head = [], , ...rows] = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return rows.map((cells) => new Map(head.map((name, column) => [name, cells[column] ?? ''])));
}

/** The phases an exits cell leads to: each exit is a sentence that begins with its phase. */
const exitsOf = (cell: string): string[] =>
  cell === 'none' ? [] : cell.split('. ').map((exit) => /^[A-Z_]+/.exec(exit)?.[0] ?? exit);

const pairs = (exits: Readonly<Record<string, readonly string[]>>): string[] =>
  Object.entries(exits).flatMap(([from, to]) => to.map((phase) => `${from} -> ${phase}`));

describe.each([
  { heading: 'Coordinator', phases: migrationPhases, transitions: migrationTransitions },
  { heading: 'Shard', phases: shardPhases, transitions: shardTransitions },
])('docs/reference/phases.md, $heading', ({ heading, phases, transitions }) => {
  const rows = readTable(heading);

  test('has one row for each phase, in the order of the contract', () => {
    expect(rows.map((row) => row.get('phase'))).toEqual(phases);
  });

  test('has every exit that the table of transitions has, and no other', () => {
    const written = Object.fromEntries(
      rows.map((row) => [row.get('phase') ?? '', exitsOf(row.get('exits') ?? '')]),
    );
    expect(pairs(written).sort()).toEqual(pairs(transitions).sort());
  });
});

test('docs/reference/phases.md names the job that works on a shard in each phase', () => {
  expect(readTable('Shard').map((row) => [row.get('phase'), row.get('job')])).toEqual(
    shardPhases.map((phase) => [phase, jobOfShardPhase[phase] ?? 'none']),
  );
});
