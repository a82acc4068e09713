import { AoscError, didYouMean, type Operation, ownValue, shorten } from '@aosc/contract';

/** Parameters every request may have, as in OpenSearch. They change nothing here. */
const common = ['pretty', 'human', 'error_trace'];

/** The query string of a request, as its endpoint describes it. */
export interface Query {
  /** undefined: it was not given */
  text(name: string): string | undefined;
  /** `true`, `false`, or given without a value, which means true; the endpoint's default when it was not given */
  flag(name: string): boolean;
}

/**
 * Reads the query string. A parameter that the endpoint does not have is an error, because a mistyped name would
 * otherwise be ignored.
 * @param url as it was sent
 * @throws AoscError illegal_argument
 */
export function readQuery(url: string, { parameters }: Pick<Operation, 'parameters'>): Query {
  const known = parameters.filter((parameter) => parameter.in === 'query');
  const values = new Map<string, string>();
  const [path = '', ...query] = url.split('?');
  for (const [name, value] of new URLSearchParams(query.join('?'))) {
    const allowed = [...known.map((parameter) => parameter.name), ...common];
    if (!allowed.includes(name)) {
      const hint = didYouMean(name, allowed);
      throw new AoscError(
        'illegal_argument',
        `request [${shorten(path)}] contains unrecognized parameter: [${shorten(name)}]${hint}`,
      );
    }
    values.set(name, value);
  }
  const described = (wanted: string) => {
    const found = known.find(({ name }) => name === wanted);
    if (found === undefined) throw new Error(`the endpoint has no parameter [${wanted}]`);
    return found;
  };
  return {
    text: (name) => values.get(described(name).name),
    flag: (name) => {
      const { schema } = described(name);
      return readFlag(name, values.get(name), ownValue<unknown>(schema, 'default') === true);
    },
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
