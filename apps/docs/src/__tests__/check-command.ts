import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createParser } from '@aosc/contract';
import { Type } from '@sinclair/typebox';
import { createProgram } from '../../../cli/src/program';
import { checkCurl } from './check-curl';
import type { ShellCommand } from './shell-commands';

const root = join(__dirname, '../../../..');
const parsePackage = createParser(
  'package.json',
  Type.Object({ scripts: Type.Record(Type.String(), Type.String()) }),
);
const { scripts } = parsePackage(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
const ownScripts = new Set(Object.keys(scripts));

/** Programs that the project does not hold to anything, each with the reason. */
export const otherPrograms: ReadonlyMap<string, string> = new Map([
  ['alias', 'gives the command line its name; tests/doc-commands.test.ts runs it'],
  ['base64', 'decodes ids of snapshots, in break-glass.md; tests/break-glass.test.ts runs it'],
  ['docker', 'builds and starts the image; docker/docker.test.ts holds what it reads'],
  ['echo', 'prints for the reader'],
  ['grep', 'picks lines from answers, in break-glass.md; tests/break-glass.test.ts runs it'],
  ['head', 'takes the first line, in break-glass.md; tests/break-glass.test.ts runs it'],
  ['helm', 'installs the chart; deploy/chart.test.ts renders it'],
  ['kubectl', 'talks to a Kubernetes cluster'],
  ['openssl', 'makes a password by chance'],
  ['printf', 'writes a file for a secret, without a line break at its end'],
  ['promtool', 'checks rules of Prometheus; packages/telemetry has a test that runs it'],
  ['redis-cli', 'makes the user of Redis; packages/queue has a test with this very line'],
  ['tr', 'changes letters of ids, in break-glass.md; tests/break-glass.test.ts runs it'],
]);

/** What is wrong with a command of a page, if anything. Nothing is run. */
export async function checkCommand([program = '', ...args]: ShellCommand): Promise<readonly string[]> {
  switch (program) {
    case 'npm':
      return checkNpm(args);
    case 'aosc':
      return checkAosc(args);
    case 'curl':
      return checkCurl(args);
    case 'node': {
      const [file = ''] = args;
      return existsSync(join(root, file)) ? [] : [`node ${file}: no such file`];
    }
    default:
      return otherPrograms.has(program) ? [] : [`${program} is not in otherPrograms of check-command.ts`];
  }
}

async function checkNpm(args: readonly string[]): Promise<readonly string[]> {
  const [verb = '', ...rest] = args.filter((arg) => arg !== '--silent');
  if (verb === 'ci') return [];
  const name = verb === 'run' ? (rest.shift() ?? '') : verb;
  if (verb !== 'run' && verb !== 'test') return [`npm ${verb} is not known here`];
  if (!ownScripts.has(name)) return [`package.json has no script ${name}`];
  if (name !== 'aosc') return [];
  return rest[0] === '--' ? checkAosc(rest.slice(1)) : ['npm run aosc: the arguments come after --'];
}

/** By the program itself; its actions are not there. */
async function checkAosc(args: readonly string[]): Promise<readonly string[]> {
  // `aosc` by itself stands for the program.
  if (args.length === 0) return [];
  const program = createProgram(() => Promise.resolve());
  const silent = { writeOut: () => undefined, writeErr: () => undefined };
  for (const command of withCommands(program)) command.exitOverride().configureOutput(silent);
  try {
    await program.parseAsync(args, { from: 'user' });
    return [];
  } catch (error) {
    if (!(error instanceof Error && 'exitCode' in error)) throw error;
    return error.exitCode === 0 ? [] : [`aosc ${args.join(' ')}: ${error.message}`];
  }
}

type Command = ReturnType<typeof createProgram>;

function withCommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withCommands)];
}
