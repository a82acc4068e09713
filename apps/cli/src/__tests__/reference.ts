import type { Command, Option } from 'commander';
import { exitCodes } from '../exit-codes';
import { createProgram } from '../program';

const begin = '<!-- made by `npm run generate:command-line` -->';
const end = '<!-- end of what was made -->';

/** The page with its made part renewed. @throws when the page has lost its marks */
export function renewReference(page: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error('the page has no marks around its made part');
  return `${page.slice(0, from + begin.length)}\n\n${renderReference()}\n\n${page.slice(to)}`;
}

/** Exit codes, and every command with its arguments and options, as lists. */
function renderReference(): string {
  const program = createProgram(() => Promise.resolve());
  const codes = Object.values(exitCodes).map(({ code, meaning }) => `- \`${code}\`: ${meaning}`);
  const shown = program.commands.filter((command) => !command.name().startsWith('__'));
  const leaves = shown.flatMap((command) => leavesOf(command, []));
  return [
    '## Exit codes',
    codes.join('\n'),
    '## Options of every command',
    program.options.map(renderOption).join('\n'),
    ...leaves.map(renderCommand),
  ].join('\n\n');
}

interface Leaf {
  readonly command: Command;
  readonly path: readonly string[];
}

function leavesOf(command: Command, above: readonly string[]): readonly Leaf[] {
  const path = [...above, command.name()];
  return command.commands.length === 0
    ? [{ command, path }]
    : command.commands.flatMap((child) => leavesOf(child, path));
}

function renderCommand({ command, path }: Leaf): string {
  const args = command.registeredArguments.map((arg) => {
    const dots = arg.variadic ? '...' : '';
    return arg.required ? `<${arg.name()}${dots}>` : `[${arg.name()}${dots}]`;
  });
  const described = command.registeredArguments.map((arg) => {
    const choices =
      arg.argChoices === undefined ? '' : `: ${arg.argChoices.map((one) => `\`${one}\``).join(', ')}`;
    return `- \`${arg.name()}\`: ${arg.description}${choices}`;
  });
  const lines = [...described, ...command.options.map(renderOption)];
  return [
    `## aosc ${path.join(' ')}`,
    `\`${['aosc', ...path, ...args].join(' ')}\``,
    `${capital(command.description())}.`,
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
  ].join('\n\n');
}

function renderOption({ flags, description, defaultValue }: Option): string {
  const value: unknown = defaultValue;
  const byDefault = typeof value === 'string' ? ` (default: ${value})` : '';
  return `- \`${flags}\`: ${description}${byDefault}`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
