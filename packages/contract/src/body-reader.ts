import type { Static, TObject } from '@sinclair/typebox';
import { AoscError, validationFailed } from './errors';
import { isObject } from './is-object';
import { didYouMean } from './nearest-name';
import { createParser, ShapeError } from './parse';
import { shorten } from './shorten';

/** Sentences in one answer: a body can have a problem for every ten of its bytes. */
const maxSentences = 20;

/**
 * Makes the reader of a body with this schema. A field that is null is the same as left out.
 * @returns the reader, which throws AoscError validation_failed with all that is wrong; parsing_failed: no object
 */
export function createBodyReader<S extends TObject>(schema: S): (body: unknown) => Static<S> {
  const parse = createParser('request', schema);
  const known = Object.keys(schema.properties);
  return (body) => {
    const given = Object.entries(asObject(body)).filter(([, value]) => value !== null);
    const unknown = given.flatMap(([name]) => (known.includes(name) ? [] : [name]));
    const hint = fewHints(known);
    refuseAll(unknown.map((name) => `unknown field [${shorten(name)}]${hint(name)}`));
    try {
      return parse(Object.fromEntries(given));
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      const sentences = error.problems.map(({ instancePath, message = 'is not valid' }) =>
        `${shorten(instancePath.slice(1).replaceAll('/', '.'))} ${message}`.trim(),
      );
      refuseAll([...new Set(sentences)]);
      throw error;
    }
  };
}

/** @throws AoscError parsing_failed */
export function asObject(body: unknown): Record<string, unknown> {
  if (isObject(body)) return { ...body };
  throw new AoscError('parsing_failed', 'The request body must be a JSON object');
}

/**
 * Gives the hints of one answer: a hint takes longer than all else that is said about a name, and only the first
 * sentences are shown.
 */
export function fewHints(known: readonly string[]): (name: string) => string {
  let left = maxSentences;
  return (name) => (left-- > 0 ? didYouMean(name, known) : '');
}

/** @throws AoscError validation_failed when there are problems; names the first ones, and how many more there are */
export function refuseAll(problems: readonly string[]): void {
  if (problems.length === 0) return;
  const left = problems.length - maxSentences;
  const more = left > 0 ? [`${left} more of the kind`] : [];
  throw validationFailed([...problems.slice(0, maxSentences), ...more]);
}
