import type { Clock } from '../ports/clock';

/**
 * A part of a name that no other attempt has, in this process or another: letters and digits. What two calls share by
 * such a name belongs to this attempt alone: a call of an earlier one that lands late arms none of a later one.
 */
export function nameAttempt({ now, random }: Pick<Clock, 'now' | 'random'>): string {
  return `${now().toString(36)}${Math.floor(random() * 2 ** 48).toString(36)}`;
}
