import { AoscError, isSettingKey, settingsTable, shorten, ownValue } from '@aosc/contract';

/** The longest name of a setting has some 60 characters, and there are some 50 of them. */
const maxNameLength = 255;
const maxSettings = 1_000;

type Tree = { [name: string]: Tree | string };
type Branch = Map<string, Branch | string>;

/**
 * Flattens settings as a user may write them: nested objects, dotted names, or both. The value of a setting that is
 * itself a JSON object stays whole.
 * @returns full name -> value as it was written, in order
 * @throws AoscError illegal_argument for lists and other values that no setting has, for names and numbers of
 *   settings beyond all reason
 */
export function flattenSettings(given: Readonly<Record<string, unknown>>): ReadonlyMap<string, unknown> {
  const flat = new Map<string, unknown>();
  const visit = (prefix: string, value: unknown): void => {
    if (prefix.length > maxNameLength) {
      throw new AoscError(
        'illegal_argument',
        `[${shorten(prefix)}] is too long for the name of a setting: ${maxNameLength} characters at the most`,
      );
    }
    const isObject = typeof value === 'object' && value !== null;
    if (Array.isArray(value)) {
      throw new AoscError(
        'illegal_argument',
        `Failed to parse value of setting [${prefix}]: a list is not allowed`,
      );
    }
    if (!isObject || isJsonSetting(prefix)) {
      flat.set(prefix, value);
      if (flat.size > maxSettings) {
        throw new AoscError('illegal_argument', `more than ${maxSettings} settings in one request`);
      }
      return;
    }
    for (const [name, inner] of Object.entries(value)) {
      visit(prefix === '' ? name : `${prefix}.${name}`, inner);
    }
  };
  visit('', given);
  return flat;
}

function isJsonSetting(name: string): boolean {
  return isSettingKey(name) && settingsTable[name].type === 'json-object';
}

/**
 * The inverse, as OpenSearch prints it: nested by dots. When a name is both a value and a prefix (`…concurrency` and
 * `…concurrency.max`), the rest of the longer name keeps its dots.
 */
export function nestSettings(flat: Readonly<Record<string, string>>): Tree {
  const tree: Branch = new Map();
  // Shorter names first, so that a value is there before the names that begin with it.
  for (const name of Object.keys(flat).sort()) insert(tree, '', name.split('.'), ownValue(flat, name) ?? '');
  return toObject(tree);
}

function insert(tree: Branch, prefix: string, [first = '', ...rest]: readonly string[], value: string): void {
  const name = `${prefix}${first}`;
  if (rest.length === 0) {
    tree.set(name, value);
    return;
  }
  const existing = tree.get(name);
  if (typeof existing === 'string') {
    insert(tree, `${name}.`, rest, value);
    return;
  }
  const inner: Branch = existing ?? new Map<string, Branch | string>();
  tree.set(name, inner);
  insert(inner, '', rest, value);
}

function toObject(branch: Branch): Tree {
  return Object.fromEntries(
    [...branch].map(([name, value]) => [name, typeof value === 'string' ? value : toObject(value)]),
  );
}
