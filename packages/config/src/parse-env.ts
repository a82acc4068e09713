import type { App } from './apps';
import { findContradictions } from './cross-checks';
import { nearestName, ownValue } from '@aosc/contract';
import { type Variables, toolingVariables, variables } from './variables';

type ValueOf<V> = V extends { type: { parse(text: string): infer P } }
  ? Extract<P, { value: unknown }>['value']
  : never;

/** The configuration of one app: the variables it reads, by field. */
export type AppConfig<A extends App> = {
  readonly [K in keyof Variables as A extends Variables[K]['apps'][number] ? K : never]: ValueOf<
    Variables[K]
  >;
};

/** The environment is wrong. The message lists every problem, one per line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(readonly problems: readonly string[]) {
    super(['The configuration is refused:', ...problems.map((problem) => `- ${problem}`)].join('\n'));
  }
}

/**
 * Reads and checks the environment of one app; called once, at start. An empty text counts as not set. It accepts and
 * ignores variables of other apps, so that all processes can share one environment.
 * @returns the frozen configuration
 * @throws ConfigError with all problems: unknown `AOSC_*` names, values out of bounds, contradictions
 */
export function parseEnv<A extends App>(
  source: Readonly<Record<string, string | undefined>>,
  app: A,
): AppConfig<A> {
  const values = new Map<string, unknown>();
  const problems = findUnknown(source);
  for (const [key, variable] of Object.entries(variables)) {
    if (!(variable.apps as readonly App[]).includes(app)) continue;
    const given = ownValue(source, variable.name)?.trim() ?? '';
    const parsed = variable.type.parse(given === '' ? variable.fallback : given);
    if ('value' in parsed) values.set(key, parsed.value);
    else {
      const isHidden = variable.type.mayHoldSecret === true || given.includes('@');
      const shown = isHidden ? 'set (its text may hold a secret)' : JSON.stringify(given);
      problems.push(`${variable.name} is ${shown}, but ${parsed.problem}`);
    }
  }
  problems.push(...findContradictions(values));
  if (problems.length > 0) throw new ConfigError(problems);
  // The loop above has set exactly the fields of AppConfig<A>, each from its own parser.
  return Object.freeze(Object.fromEntries(values)) as AppConfig<A>;
}

/** OpenSearch and Redis, where the environment leaves them at their defaults on this machine. */
export function findDefaultServers(source: Readonly<Record<string, string | undefined>>) {
  return [variables.openSearchUrls, variables.redisUrls]
    .filter(({ name }) => (ownValue(source, name)?.trim() ?? '') === '')
    .map(({ name, fallback: url }) => ({ name, url }));
}

function findUnknown(source: Readonly<Record<string, string | undefined>>): string[] {
  const known = [...Object.values(variables), ...toolingVariables].map(({ name }) => name);
  return Object.keys(source)
    .filter((name) => name.startsWith('AOSC_') && !known.includes(name))
    .map((name) => {
      const near = nearestName(name, known);
      const hint = near === undefined ? '' : ` Did you mean ${near}?`;
      return `${name} is not known: what it was meant to set would keep its default without a word.${hint}`;
    });
}
