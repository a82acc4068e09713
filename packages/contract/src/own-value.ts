/**
 * What an object that was parsed from JSON has under a name, and nothing of what every object has: `constructor`,
 * `toString`, `__proto__`. The one way to look a name up in anything but a Map (lint holds that).
 */
export function ownValue<T>(object: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  if (object === undefined || !Object.hasOwn(object, name)) return undefined;
  // eslint-disable-next-line aosc/no-record-lookup -- it is the object's own
  return object[name];
}
