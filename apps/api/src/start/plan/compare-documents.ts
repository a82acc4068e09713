import { isObject } from '@aosc/contract';
import type { RawDocument, TransformResult } from '@aosc/engine';

/** What a script does to documents, by counts: no values. */
export interface ScriptEffect {
  readonly changed: number;
  readonly unchanged: number;
  /** documents whose `_id` or `_routing` is another one afterwards */
  readonly renamed: number;
  /** ids that two of the documents would both have */
  readonly collisions: readonly string[];
  readonly fields: readonly FieldEffect[];
}

interface FieldEffect {
  readonly field: string;
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
}

const maxFields = 100;
const maxCollisions = 10;

/** Compares documents with what a script has made of them; those on which it fails are left out. */
export function compareDocuments(
  before: readonly RawDocument[],
  results: readonly TransformResult[],
): ScriptEffect {
  const fields = new Map<string, { added: number; removed: number; changed: number }>();
  const keys = new Map<string, number>();
  let [changed, unchanged, renamed] = [0, 0, 0];
  for (const [at, result] of results.entries()) {
    const source = before[at];
    if (source === undefined || !('document' in result)) continue;
    const { document } = result;
    keys.set(keyOf(document), (keys.get(keyOf(document)) ?? 0) + 1);
    if (keyOf(document) !== keyOf(source)) renamed += 1;
    const effects = compareFields(leavesOf(source), leavesOf(document));
    if (effects.length === 0) unchanged += 1;
    else changed += 1;
    for (const [field, effect] of effects) {
      const counts = fields.get(field) ?? { added: 0, removed: 0, changed: 0 };
      counts[effect] += 1;
      fields.set(field, counts);
    }
  }
  return {
    changed,
    unchanged,
    renamed,
    collisions: [...keys].flatMap(([key, count]) => (count > 1 ? [key] : [])).slice(0, maxCollisions),
    fields: [...fields].map(([field, counts]) => ({ field, ...counts })).slice(0, maxFields),
  };
}

const keyOf = ({ idToken, routingToken }: RawDocument): string =>
  routingToken === undefined ? idToken : `${idToken} (routing ${routingToken})`;

/** Texts of the leaves, by their paths. */
function leavesOf({ source }: RawDocument): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>();
  const visit = (path: string, value: unknown): void => {
    if (isObject(value) && Object.keys(value).length > 0) {
      for (const [name, inner] of Object.entries(value)) visit(path === '' ? name : `${path}.${name}`, inner);
    } else leaves.set(path, JSON.stringify(value));
  };
  visit(
    '',
    JSON.parse(
      Buffer.from(source)
        .toString('utf8')
        .replace(/^\uFEFF/, ''),
    ),
  );
  return leaves;
}

function compareFields(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly (readonly [string, 'added' | 'removed' | 'changed'])[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((field) => {
    const [was, is] = [before.get(field), after.get(field)];
    if (was === is) return [];
    return [[field, was === undefined ? 'added' : is === undefined ? 'removed' : 'changed']] as const;
  });
}
