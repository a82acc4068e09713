/** The most fields that one difference names. */
const maxFields = 20;

/**
 * A source by its meaning: the same text for the same values, whatever the order of keys and the blanks. Numbers count
 * as they are spelt, because parsed they would lose digits.
 * @returns of a source that is no JSON, for example because it has comments, its bytes
 */
export function meaningOf(source: Uint8Array): string {
  const value = parse(source);
  return value === undefined ? Buffer.from(source).toString('latin1') : spell(value);
}

/** Top-level fields in which two sources differ, at most 20; empty when one of the sources is no JSON. */
export function differingFields(a: Uint8Array, b: Uint8Array): readonly string[] {
  const values = [parse(a), parse(b)];
  if (values.includes(undefined)) return [];
  const [one, other] = [spellFields(values[0]), spellFields(values[1])];
  const names = [...new Set([...one.keys(), ...other.keys()])].toSorted();
  return names
    .filter((name) => one.get(name) !== other.get(name))
    .slice(0, maxFields)
    .map((name) => name.slice(1));
}

/** A string or a number in a JSON text. */
const scalar = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** Numbers and strings become texts that no other value has: a number is its spelling. @returns undefined: it is no JSON */
function parse(source: Uint8Array): unknown {
  const text = new TextDecoder().decode(source);
  try {
    return JSON.parse(
      text.replace(scalar, (found) => (found.startsWith('"') ? `"s${found.slice(1)}` : `"n${found}"`)),
    );
  } catch {
    return undefined;
  }
}

function spell(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spell).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = [...spellFields(value)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, spelt]) => `${JSON.stringify(name)}:${spelt}`).join(',')}}`;
}

/** @returns an empty map for a value that is no object */
function spellFields(value: unknown): ReadonlyMap<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return new Map();
  return new Map(Object.entries(value).map(([name, inner]) => [name, spell(inner)]));
}
