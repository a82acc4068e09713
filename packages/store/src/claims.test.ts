import type { ClaimRecord } from '@aosc/contract';
import { evaluateClaim, orphanAgeMs } from './claims';

const claim: ClaimRecord = {
  kind: 'claim',
  schemaVersion: 1,
  role: 'source',
  indexName: 'books',
  key: 'k',
  migrationId: 'books__books2__1',
  claimedAtMillis: 1_000_000,
};

test.each([
  ['a running migration', { kind: 'migration', ended: false }, 0, 'held'],
  ['a running migration, however old', { kind: 'migration', ended: false }, 10 * orphanAgeMs, 'held'],
  ['an ended migration', { kind: 'migration', ended: true }, 0, 'free'],
  ['a start that was declared dead', { kind: 'abandoned', ended: false }, 0, 'free'],
  ['a start under way', undefined, orphanAgeMs - 1, 'held'],
  ['a start that is too old to be under way', undefined, orphanAgeMs, 'orphan'],
  ['a start from a clock ahead of ours', undefined, 1 - orphanAgeMs, 'held'],
  ['a start from a clock too far ahead to show its age', undefined, -orphanAgeMs, 'orphan'],
] as const)('the claim of %s', (_, holder, ageMs, verdict) => {
  expect(evaluateClaim(claim, holder, claim.claimedAtMillis + ageMs)).toBe(verdict);
});
