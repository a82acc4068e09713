import { isDeepStrictEqual } from 'node:util';
import { type DefinitionChange, ownValue, isObject } from '@aosc/contract';
import { withoutIdentity } from './inherited-settings';
import type { Definition } from './plan-target';

/** A mapping has at most some thousands of fields; a reader has no use for a longer list. */
const maxChanges = 1_000;

/**
 * Where two definitions differ, leaf by leaf, ordered by path.
 * @returns at most {@link maxChanges} places
 */
export function compareDefinitions(
  source: Definition,
  target: Definition,
): { readonly changes: readonly DefinitionChange[]; readonly truncated: boolean } {
  const ofSettings = compareFlat(withoutIdentity(source.settings), withoutIdentity(target.settings));
  const changes = [...ofSettings, ...compareTrees('mappings', source.mappings, target.mappings)];
  return { changes: changes.slice(0, maxChanges), truncated: changes.length > maxChanges };
}

type Values = Readonly<Record<string, unknown>>;

function compareFlat(source: Values, target: Values): readonly DefinitionChange[] {
  return namesOf(source, target).flatMap((name) =>
    changeAt(`settings.${name}`, asText(ownValue(source, name)), asText(ownValue(target, name))),
  );
}

/** OpenSearch shows every value as a text, whatever it was set as. */
function asText(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}

function compareTrees(path: string, source: unknown, target: unknown): readonly DefinitionChange[] {
  if (isObject(source) && isObject(target)) {
    return namesOf(source, target).flatMap((name) =>
      compareTrees(`${path}.${name}`, ownValue(source, name), ownValue(target, name)),
    );
  }
  return changeAt(path, source, target);
}

function changeAt(path: string, source: unknown, target: unknown): readonly DefinitionChange[] {
  if (isDeepStrictEqual(source, target)) return [];
  return [{ path, ...(source !== undefined && { source }), ...(target !== undefined && { target }) }];
}

function namesOf(source: Values, target: Values): readonly string[] {
  return [...new Set([...Object.keys(source), ...Object.keys(target)])].sort();
}
