import type { Clock } from '../ports/clock';

/**
 * Makes the part of an alias's name by which one attempt at a change differs from every other attempt, of any process.
 * The first call of an attempt makes the alias, and a later call of the same attempt removes it. So an alias that a
 * late call makes is of no use to any other attempt.
 */
export function nameAttempt({ now, random }: Pick<Clock, 'now' | 'random'>): string {
  return `${now().toString(36)}${Math.floor(random() * 2 ** 48).toString(36)}`;
}
