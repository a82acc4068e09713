import { migrationPhases, settingKeys } from '@aosc/contract';
import type { Argument, Command, Option } from 'commander';

/** One word that may stand at the cursor. */
export interface Offer {
  readonly word: string;
  readonly description: string;
}

/** Names that only the API knows. */
export interface Known {
  readonly indices: readonly string[];
  readonly ids: readonly string[];
}

/** Words that may replace a `<...>` of an option or an argument. */
const wordsOf: ReadonlyMap<string, (known: Known) => readonly string[]> = new Map([
  ['source', ({ indices, ids }: Known) => [...indices, ...ids]],
  ['target', ({ indices }: Known) => indices],
  ['index', ({ indices }: Known) => indices],
  ['id', ({ ids }: Known) => ids],
  ['phase', () => migrationPhases],
  ['names', () => settingKeys],
  ['name=value', () => settingKeys.map((name) => `${name}=`)],
]);
/** The placeholders whose words the API knows. */
const asksApi: readonly string[] = ['source', 'target', 'index', 'id'];

/**
 * What may stand at the cursor of a command line.
 * @param words from behind `aosc` up to the cursor; the last one is the part of the word that is there already
 * @param read names that the API knows; called only where one of them may stand
 */
export async function completeWords(
  program: Command,
  words: readonly string[],
  read: () => Promise<Known>,
): Promise<readonly Offer[]> {
  const current = words.at(-1) ?? '';
  const place = findPlace(program, words.slice(0, -1));
  const offers =
    current.startsWith('-') && place.option === undefined
      ? optionsAt(place.command)
      : await valuesAt(place, read);
  return offers.filter(({ word }) => word.startsWith(current));
}

interface Place {
  readonly command: Command;
  /** the option whose value comes next; undefined: none */
  readonly option: Option | undefined;
  /** arguments of the command that are there already */
  readonly given: number;
}

function findPlace(program: Command, words: readonly string[]): Place {
  let place: Place = { command: program, option: undefined, given: 0 };
  for (const word of words) {
    const { command, given } = place;
    if (place.option !== undefined) place = { command, option: undefined, given };
    else if (word.startsWith('-')) place = { command, option: valueOption(command, word), given };
    else {
      const below = visible(command).find((child) => child.name() === word);
      place =
        below === undefined
          ? { command, option: undefined, given: given + 1 }
          : { command: below, option: undefined, given: 0 };
    }
  }
  return place;
}

function valueOption(command: Command, word: string): Option | undefined {
  return allOptions(command).find(
    ({ long, short, required, optional }) => (required || optional) && (long === word || short === word),
  );
}

/** The command's own options, and those of the commands above it, which it takes as well. */
function allOptions(command: Command): readonly Option[] {
  const own = command.options.filter(({ hidden }) => !hidden);
  return command.parent === null
    ? own
    : [...own, ...allOptions(command.parent).filter(({ long }) => long !== '--version')];
}

function optionsAt(command: Command): readonly Offer[] {
  const options = allOptions(command).map(({ long, description }) => ({ word: long ?? '', description }));
  return [...options, { word: '--help', description: 'show help' }];
}

async function valuesAt(
  { command, option, given }: Place,
  read: () => Promise<Known>,
): Promise<readonly Offer[]> {
  if (option !== undefined) return offersOf(option.argChoices, placeholderOf(option.flags), read);
  const children = visible(command).map((child) => ({
    word: child.name(),
    description: child.description(),
  }));
  if (children.length > 0) return children;
  const argument = argumentAt(command.registeredArguments, given);
  return argument === undefined ? [] : offersOf(argument.argChoices, argument.name(), read);
}

async function offersOf(
  choices: readonly string[] | undefined,
  placeholder: string,
  read: () => Promise<Known>,
): Promise<readonly Offer[]> {
  const known = asksApi.includes(placeholder) ? await read() : { indices: [], ids: [] };
  const words = choices ?? wordsOf.get(placeholder)?.(known) ?? [];
  return words.map((word) => ({ word, description: '' }));
}

function argumentAt(args: readonly Argument[], given: number): Argument | undefined {
  const last = args.at(-1);
  return args[given] ?? (last?.variadic === true ? last : undefined);
}

const visible = (command: Command): readonly Command[] =>
  command.commands.filter((child) => !child.name().startsWith('__'));

const placeholderOf = (flags: string): string => /[<[]([^>\]]+)/.exec(flags)?.[1] ?? '';
