import type { MigrationStatus } from '@aosc/client';
import { plain } from '../output/text';

/** The state of a cutover, and what it waits for, in a line. */
export function describeCutover(cutover: MigrationStatus['cutover']): string {
  if (cutover === undefined) return 'given up';
  const { state, waits_for: waitsFor, next_attempt_millis: next } = cutover;
  const when = next === undefined ? '' : `, ${new Date(next).toISOString()}`;
  const words = state.replaceAll('_', ' ');
  return waitsFor === undefined ? words : plain(`${words}: waits for ${waitsFor}${when}`);
}
