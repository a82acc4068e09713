import type { Clock } from '../ports/clock';

/**
 * Makes a part of a name that no other attempt has, in this process or another: letters and digits. Two calls that
 * share such a name belong to one attempt. A call of an earlier attempt that lands late arms no later attempt.
 */
export function nameAttempt({ now, random }: Pick<Clock, 'now' | 'random'>): string {
  return `${now().toString(36)}${Math.floor(random() * 2 ** 48).toString(36)}`;
}
