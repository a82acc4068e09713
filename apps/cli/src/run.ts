import { type Command, CommanderError } from 'commander';
import { exitCodes, type ExitName } from './exit-codes';
import { describeFailure, type Failure } from './failure';
import { explainMissingName } from './commands/missing-name';
import { type Format, formatItem } from './output/formats';
import { plain } from './output/text';
import { createProgram } from './program';
import { type Action, Session } from './session';
import type { Shell } from './shell';

/** Carries out a command line. @param args without the program's name @returns the exit code */
export async function runCommand(args: readonly string[], shell: Shell): Promise<number> {
  let exit: ExitName = 'done';
  const program = createProgram(async (command, action, words) => {
    exit = await runAction(shell, command, action, words);
  });
  for (const command of allCommands(program)) {
    command.exitOverride().configureOutput({
      writeOut: (text) => shell.out.write(text),
      writeErr: (text) => shell.err.write(text),
      getOutHelpWidth: () => Math.min(100, shell.out.width()),
      getErrHelpWidth: () => Math.min(100, shell.err.width()),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  }
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    // Commander has printed its error already.
    if (!(error instanceof CommanderError)) throw error;
    exit = error.exitCode === 0 ? 'done' : 'usage';
  }
  return exitCodes[exit].code;
}

async function runAction(
  shell: Shell,
  command: Command,
  action: Action,
  args: readonly string[],
): Promise<ExitName> {
  const session = new Session(shell, command);
  try {
    return await action(session, args);
  } catch (error) {
    const failure = describeFailure(shell.signal.aborted ? shell.signal.reason : error);
    if (failure === undefined) throw error;
    printFailure(shell, session.format, failure, await explainMissingName(session, error));
    return failure.exit;
  } finally {
    await session.close();
  }
}

/** Goes to stderr: stdout has results only. */
function printFailure(shell: Shell, format: Format, failure: Failure, hint: string | undefined): void {
  const { exit, message, found = [], reason = message, type, status } = failure;
  const { code } = exitCodes[exit];
  const error = {
    type,
    reason,
    ...(found.length > 0 && { reasons: found }),
    ...(status !== undefined && { status }),
    exit_code: code,
  };
  const said = hint === undefined ? message : `${message}; ${hint}`;
  const lines = [said, ...found.map((one) => `- ${one}`)].map((line) => `${plain(line)}\n`);
  shell.err.write(formatItem(format, { error }) ?? lines.join(''));
}

function allCommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}
