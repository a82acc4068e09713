import { ownValue, isObject } from '@aosc/contract';

/**
 * A JSON value changed by a merge patch (RFC 7396): objects are merged, null removes, anything else replaces.
 * @param patch nested at most as deep as bodies may be
 */
export function mergePatch(value: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const before = isObject(value) ? value : {};
  const kept = Object.entries(before).filter(([name]) => !Object.hasOwn(patch, name));
  const changed = Object.entries(patch)
    .filter(([, inner]) => inner !== null)
    .map(([name, inner]): [string, unknown] => [name, mergePatch(ownValue(before, name), inner)]);
  return Object.fromEntries([...kept, ...changed]);
}
