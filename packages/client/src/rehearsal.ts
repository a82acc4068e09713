import type { Schemas } from './generated/types.ts';

type MigrationStatus = Schemas['MigrationStatus'];

/** The phase in words: that of a rehearsal which has come to its end is not all there is to say. */
export function describePhase({ phase, rehearsal }: Pick<MigrationStatus, 'phase' | 'rehearsal'>): string {
  const { outcome } = rehearsal ?? {};
  return outcome === undefined ? phase : `${phase}, rehearsed: ${outcome.replace('_', ' ')}`;
}

/** What a rehearsal has found, beside what was estimated at its start; nothing for any other migration. */
export function describeRehearsal({
  rehearsal,
}: Pick<MigrationStatus, 'rehearsal'>): readonly (readonly [what: string, found: string])[] {
  const {
    found,
    estimated,
    differences = 0,
    documents_verified: verified,
    verified_ms: ms,
  } = rehearsal ?? {};
  if (found === undefined) return [];
  const beside = (value: number | undefined, guess: number | undefined, unit: string): string =>
    `${value === undefined ? 'not measured' : named(value, unit)}, ${guess === undefined ? 'not estimated' : `estimated ${group(guess)}`}`;
  return [
    ['Copied', beside(found.documents, estimated?.documents, 'documents')],
    ['Time of the copy', beside(found.seconds, estimated?.seconds, 's')],
    ['Pause of writes', beside(found.pause_ms, estimated?.pause_ms, 'ms')],
    [
      'Verified',
      `${named(verified ?? 0, 'documents')} in ${named(Math.ceil((ms ?? 0) / 1000), 's')}, ${named(differences, 'differences')}`,
    ],
  ];
}

const group = (value: number): string => value.toLocaleString('en-US');
const named = (value: number, unit: string): string => `${group(value)} ${unit}`;
