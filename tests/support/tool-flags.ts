import { parseArgs, type ParseArgsConfig } from 'node:util';

/** The flags of a long test: one table gives their help and reads them. */
export interface Flag<Value> {
  /** stands for the value in the help; undefined: the flag has none */
  readonly value?: string;
  readonly help: string;
  /** @param texts its values, in their order @throws UsageError */
  readonly read: (texts: readonly string[], flag: string) => Value;
}
export type Flags = Readonly<Record<string, Flag<unknown>>>;
export type Values<All extends Flags> = { readonly [Name in keyof All]: ReturnType<All[Name]['read']> };

const mostWhole = 2 ** 31;

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const given = (help: string): Flag<boolean> => ({ help, read: (texts) => texts.length > 0 });

export const texts = (value: string, help: string): Flag<readonly string[]> => ({
  value,
  help,
  read: (all) => all,
});

export function text(value: string, help: string): Flag<string | undefined>;
export function text(value: string, help: string, otherwise: string): Flag<string>;
export function text(value: string, help: string, otherwise?: string): Flag<string | undefined> {
  return { value, help: withDefault(help, otherwise), read: (all) => all.at(-1) ?? otherwise };
}

/** A whole number, `least` at the lowest. */
export function whole(help: string, least: number): Flag<number | undefined>;
export function whole(help: string, least: number, otherwise: number): Flag<number>;
export function whole(help: string, least: number, otherwise?: number): Flag<number | undefined> {
  const read = (all: readonly string[], flag: string): number | undefined => {
    const last = all.at(-1);
    if (last === undefined) return otherwise;
    const number = Number(last);
    if (/^\d+$/.test(last) && number >= least && number < mostWhole) return number;
    throw new UsageError(`${flag} ${last}: expected a whole number from ${least} to ${mostWhole - 1}`);
  };
  return { value: 'N', help: withDefault(help, otherwise), read };
}

export const choice = <Choice extends string>(
  value: string,
  choices: readonly Choice[],
  help: string,
): Flag<Choice | undefined> => ({
  value,
  help: `${help}: ${choices.join(', ')}`,
  read: (all, flag) => {
    const last = all.at(-1);
    const chosen = choices.find((each) => each === last);
    if (chosen === undefined && last !== undefined)
      throw new UsageError(`${flag} ${last}: expected ${choices.join(', ')}`);
    return chosen;
  },
});

const withDefault = (help: string, otherwise: number | string | undefined): string =>
  otherwise === undefined ? help : `${help} (default ${otherwise})`;

/** The seeds of a run: one when only a seed is given, 20 from the clock's otherwise. */
export const seedFlags = {
  runs: whole('migrations to run (default 20; 1 with --seed)', 0),
  seed: whole("the first run's seed; the others follow (default: from the clock)", 0),
};

export const firstSeed = (seed: number | undefined): number => seed ?? Date.now() % mostWhole;

export const readSeeds = ({ runs, seed }: Values<typeof seedFlags>) => ({
  first: firstSeed(seed),
  runs: runs ?? (seed === undefined ? 20 : 1),
});

/** @throws UsageError for a flag that is not there, lacks its value, or has a wrong one */
export function readFlags<All extends Flags>(flags: All, args: readonly string[]): Values<All> {
  const found = parse(flags, args);
  return Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [name, flag.read(found[name] ?? [], `--${name}`)]),
  ) as Values<All>;
}

function parse(flags: Flags, args: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const options: NonNullable<ParseArgsConfig['options']> = {};
  for (const [name, { value }] of Object.entries(flags))
    options[name] = { type: value === undefined ? 'boolean' : 'string', multiple: true };
  try {
    const { values } = parseArgs({ args: [...args], options });
    return Object.fromEntries(
      Object.entries(values).map(([name, all]) => [name, [all].flat().map(String)] as const),
    );
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** One line a flag. */
export function describeFlags(flags: Flags): string {
  const rows = Object.entries(flags).map(([name, { value, help }]) => [
    `  --${name}${value === undefined ? '' : ` ${value}`}`,
    help,
  ]);
  const width = Math.max(...rows.map(([flag = '']) => flag.length));
  return rows.map(([flag = '', help = '']) => `${flag.padEnd(width + 3)}${help}`).join('\n');
}
