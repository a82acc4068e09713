import { digestOfSource } from '../digest';
import type { HttpClient } from '../http/http-client';
import { asTransformed, canonicalSource, type ExpectedTransform } from './expected-transform';
import { MismatchCollector, type Mismatches } from './mismatches';
import { type AskedKey, type ReadDocument, readByKey } from './read-by-key';

export interface CompareByKeyOptions {
  /** no client writes to it any more */
  readonly source: string;
  readonly target: string;
  /** as an application sends them */
  readonly keys: readonly AskedKey[];
  /** what the migration's transform must have made of a document */
  readonly transform?: ExpectedTransform;
}

interface Expected extends AskedKey {
  readonly document: NonNullable<ReadDocument>;
}

/**
 * Whether an application finds in the target, under its own keys, what it finds in the source: the same document, or
 * none. Under a transform, documents that the source does not have are left out: their result is not known.
 */
export async function compareByKey(
  http: HttpClient,
  { source, target, keys, transform }: CompareByKeyOptions,
): Promise<Mismatches> {
  const mismatches = new MismatchCollector(20);
  const before = await readByKey(http, source, keys);
  const present: Expected[] = [];
  const absent: AskedKey[] = [];
  keys.forEach((key, at) => {
    const document = before[at];
    // Under this id the shard may hold a document with another routing.
    if (document !== undefined && document.routing === key.routing?.toWellFormed())
      present.push(expect(key, document, transform));
    else if (transform === undefined) absent.push(key);
  });
  const after = await readByKey(http, target, present);
  present.forEach((expected, at) => compare(expected, after[at], transform !== undefined, mismatches));
  const gone = await readByKey(http, target, absent);
  absent.forEach(({ id, routing }, at) => {
    const found = gone[at];
    if (found !== undefined && found.routing === routing?.toWellFormed())
      mismatches.add(id, routing, { extra: 'found by its key in the target, not in the source' });
  });
  return mismatches.result();
}

function expect(
  key: AskedKey,
  document: NonNullable<ReadDocument>,
  transform: ExpectedTransform | undefined,
): Expected {
  if (transform === undefined) return { ...key, document };
  const { id, routing, version, source } = asTransformed({ ...document, ...key }, transform);
  return { id, routing, document: { routing: routing?.toWellFormed(), version, source } };
}

function compare(
  { id, routing, document }: Expected,
  found: ReadDocument,
  isTransformed: boolean,
  mismatches: MismatchCollector,
): void {
  if (found === undefined || found.routing !== document.routing) {
    mismatches.add(id, routing, { missing: 'found by its key in the source, not in the target' });
    return;
  }
  const digestOf = ({ source }: { readonly source: Buffer }): string =>
    digestOfSource(isTransformed ? canonicalSource(source) : source);
  const sameVersion = found.version === document.version;
  const sameSource = digestOf(found) === digestOf(document);
  if (sameVersion && sameSource) return;
  mismatches.add(id, routing, {
    ...(sameVersion ? {} : { differentVersion: `version ${found.version}, expected ${document.version}` }),
    ...(sameSource ? {} : { differentSource: 'not the bytes of the source' }),
  });
}
