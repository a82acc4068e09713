import { AoscError, didYouMean, type Operation, ownValue, shorten } from '@aosc/contract';

/** Parameters every request may have, as in OpenSearch. They change nothing here. */
const common = ['pretty', 'human', 'error_trace'];

export type Query = ReturnType<typeof readQuery>;

/**
 * Reads the query string. A parameter that the endpoint does not have is an error, because a mistyped name would
 * otherwise be ignored.
 * @param url as it was sent
 * @throws AoscError illegal_argument
 */
export function readQuery(url: string, { parameters }: Pick<Operation, 'parameters'>) {
  const known = new Map(
    parameters.filter((parameter) => parameter.in === 'query').map(({ name, schema }) => [name, schema]),
  );
  const allowed = [...known.keys(), ...common];
  const values = new Map<string, string>();
  const [path = '', ...query] = url.split('?');
  for (const [name, value] of new URLSearchParams(query.join('?'))) {
    if (!allowed.includes(name)) {
      const hint = didYouMean(name, allowed);
      throw new AoscError(
        'illegal_argument',
        `request [${shorten(path)}] contains unrecognized parameter: [${shorten(name)}]${hint}`,
      );
    }
    values.set(name, value);
  }
  const text = (name: string): string | undefined => {
    if (!known.has(name)) throw new Error(`the endpoint has no parameter [${name}]`);
    return values.get(name);
  };
  const isDefault = (name: string): boolean => ownValue<unknown>(known.get(name), 'default') === true;
  return {
    /** undefined: it was not given */
    text,
    /** `true`, `false`, or given without a value, which means true; the endpoint's default when it was not given */
    flag: (name: string): boolean => readFlag(name, text(name), isDefault(name)),
  };
}

function readFlag(name: string, text: string | undefined, otherwise: boolean): boolean {
  if (text === undefined) return otherwise;
  if (text === 'false') return false;
  if (text === 'true' || text === '') return true;
  throw new AoscError(
    'illegal_argument',
    `Failed to parse value [${shorten(text)}] of parameter [${name}] as only [true] or [false] are allowed.`,
  );
}
