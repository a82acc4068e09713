import type { Clock } from '../ports/clock';

/**
 * Makes a part of an alias's name for one attempt at a change: letters and digits that no other attempt has, in this
 * process or another. The first call of an attempt makes the alias, and a later call of the same attempt consumes it.
 * So a first call that arrives late can't help a later attempt, which has another name.
 */
export function nameAttempt({ now, random }: Pick<Clock, 'now' | 'random'>): string {
  return `${now().toString(36)}${Math.floor(random() * 2 ** 48).toString(36)}`;
}
