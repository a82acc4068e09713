import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrationPhases, shardPhases } from '@aosc/contract';
import { migrationTransitions } from './migration/transitions';
import { jobOfShardPhase, shardTransitions } from './shard/transitions';

const page = readFileSync(join(__dirname, '../../../docs/reference/phases.md'), 'utf8');

interface PhaseOnPage {
  readonly phase: string;
  readonly text: string;
}

/** Phases below a heading of the page, each with its description. */
function readPhases(heading: string): readonly PhaseOnPage[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^### (?:Shard )?([A-Z_]+)\n([^#]*)/gm)].map(([, phase = '', text = '']) => ({
    phase,
    text,
  }));
}

/** Each exit is a list item that begins with its phase. */
const exitsOf = ({ phase, text }: PhaseOnPage): string[] =>
  [...text.matchAll(/^- ([A-Z_]+)[.:]/gm)].map(([, exit = '']) => `${phase} -> ${exit}`);

const pairs = (exits: Readonly<Record<string, readonly string[]>>): string[] =>
  Object.entries(exits).flatMap(([from, to]) => to.map((phase) => `${from} -> ${phase}`));

describe.each([
  { heading: 'Coordinator', phases: migrationPhases, transitions: migrationTransitions },
  { heading: 'Shard', phases: shardPhases, transitions: shardTransitions },
])('docs/reference/phases.md, $heading', ({ heading, phases, transitions }) => {
  const onPage = readPhases(heading);

  test('has each phase, in the order of the contract', () => {
    expect(onPage.map(({ phase }) => phase)).toEqual(phases);
  });

  test('has every exit that the table of transitions has, and no other', () => {
    expect(onPage.flatMap(exitsOf).sort()).toEqual(pairs(transitions).sort());
  });

  test('says of a phase without an exit that it has none', () => {
    for (const one of onPage) expect(one.text.includes('No exit.')).toBe(exitsOf(one).length === 0);
  });
});

test('docs/reference/phases.md names the job that works on a shard in each phase', () => {
  const jobs = readPhases('Shard').map(({ phase, text }) => [phase, /^Job: `?(\w+)`?\./m.exec(text)?.[1]]);
  expect(jobs).toEqual(shardPhases.map((phase) => [phase, jobOfShardPhase[phase] ?? 'none']));
});
