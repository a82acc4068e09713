import { serviceVersion } from '@aosc/contract';
import { Argument, Command, Option } from 'commander';
import { cleanupHelp, examples } from './help';
import { clearStateAction, leasesAction } from './commands/administration';
import { completeAction, completionAction } from './commands/completion';
import { createTargetAction } from './commands/create-target';
import { describeAction } from './commands/describe';
import { doctorAction } from './commands/doctor-later';
import { eventsAction } from './commands/events';
import { cutoverAction } from './commands/cutover';
import { cancelAction, listAction, statusAction, waitAction } from './commands/migrations';
import { diffAction, getAction, profileAction, setAction } from './commands/settings';
import { planAction } from './commands/plan';
import { setAsideAction } from './commands/set-aside';
import { startAction } from './commands/start';
import { verifyAction } from './commands/verify';
import { shells } from './completion/scripts';
import { count, duration, many, migrationOptions } from './migration-options';
import { formats } from './output/formats';
import type { Action } from './session';
import { profileNames } from './settings/profiles';

/** Carries an action out, with the command whose flags it reads. */
type Run = (command: Command, action: Action, args: readonly string[]) => Promise<void>;

const interval = () =>
  duration('--interval <time>', 'time between two requests for the status (default: 1s)');
const timeout = () => duration('--timeout <time>', 'longest wait (default: none)');
const watch = (words: string) => new Option('--watch', words);

/**
 * The whole command line. Help, completions and the reference are made from this tree.
 * @param run is called for the command that was given
 */
export function createProgram(run: Run): Command {
  const program = new Command('aosc')
    .description('Starts, watches and ends migrations of live OpenSearch indices, through the API of AOSC.')
    .version(serviceVersion, '-V, --version', 'print the version')
    .option('--context <name>', 'context of the configuration file')
    .option('--url <url>', 'address of the API; credentials then come from the environment')
    .option('--ca <file>', 'authority that signed the certificate of the API (PEM)')
    .addOption(
      duration('--request-timeout <time>', 'longest wait for one answer (default: 60s, of a start 2m)'),
    )
    .addOption(new Option('-o, --output <format>', 'json, yaml, or wide: all columns').choices(formats))
    .option('--json', 'the same as -o json: one value, or with --watch one in each line')
    .option('--dry-run', 'show what it would do, and change nothing')
    .option('--print-request', 'print the request as a curl command, without the secret, and send nothing')
    .option('--no-color', 'no colours, as with NO_COLOR')
    .showHelpAfterError('(--help shows how it is used)')
    .addHelpText('after', cleanupHelp);
  addMigrations(program, run);
  addSettings(program, run);
  addAdministration(program, run);
  return program;
}

/** Only the command's own arguments: commander appends its options and the command itself. */
const act = (run: Run, action: Action) =>
  async function (this: Command): Promise<void> {
    await run(
      this,
      action,
      this.processedArgs.flat().filter((arg) => typeof arg === 'string'),
    );
  };

function addMigrations(program: Command, run: Run): void {
  addCreateTarget(program, run);
  addPlan(program, run);
  addStart(program, run);
  program
    .command('status')
    .description('show the running or the newest migration of a source')
    .argument('<source>', 'name of the source index, or the id of a migration')
    .addOption(watch('until it has ended: drawn in place on a terminal, as lines elsewhere'))
    .addOption(interval())
    .action(act(run, statusAction));
  program
    .command('list')
    .description('list migrations, newest first')
    .addOption(
      many(
        '--phase <phase>',
        'only migrations in this phase; ACTIVE stands for every phase before the end; may be repeated',
      ),
    )
    .addOption(count('--size <n>', 'show at most this many (default: 50)'))
    .addOption(watch('show it until Ctrl-C, as it changes'))
    .addOption(interval())
    .action(act(run, listAction));
  program
    .command('describe')
    .description('show everything about the running or the newest migration of a source')
    .argument('<source>', 'name of the source index, or the id of a migration')
    .addOption(count('--shard <n>', 'only this shard: who works on it, where, and what holds it back'))
    .action(act(run, describeAction));
  program
    .command('events')
    .description('show the present phase of every migration, and with -f each change from then on')
    .argument('[source]', 'only those of this source index')
    .option('-f, --follow', 'go on until Ctrl-C')
    .action(act(run, eventsAction));
  program
    .command('wait')
    .description('wait until a migration is, or was, in a phase')
    .argument('<source>', 'name of the source index, or the id of a migration')
    .option('--for <phase>', 'a phase, or `end` for any end', 'COMPLETED')
    .option(
      '--migration-id <id>',
      'id that the start has printed: fail when the source has another migration by now',
    )
    .addOption(timeout())
    .addOption(interval())
    .action(act(run, waitAction));
  addOrders(program, run);
}

function addOrders(program: Command, run: Run): void {
  program
    .command('cancel')
    .description('cancel the migration of a source')
    .argument('<source>', 'name of the source index')
    .option('--wait', 'wait until it is CANCELLED')
    .option('--yes', 'cancel it without a question; scripts need it')
    .addOption(timeout())
    .addOption(interval())
    .action(act(run, cancelAction));
  program
    .command('cutover')
    .description(
      'approve the cutover of a migration, so that it begins when all is ready and a window is open',
    )
    .argument('<source>', 'name of the source index')
    .option('--force', 'begin as soon as all is ready, whatever the windows and the date say')
    .option('--postpone', 'withdraw an approval: the cutover waits until it is approved again')
    .option(
      '--accept-set-aside <digest>',
      'approve it without the documents that the target refuses, as `set-aside` has shown them',
    )
    .action(act(run, cutoverAction));
  program
    .command('set-aside')
    .description('show the documents that the target of a migration refuses, by reason, with their digest')
    .argument('<source>', 'name of the source index')
    .option('--retry', 'have them written again, after the mapping of the target was changed')
    .action(act(run, setAsideAction));
  program
    .command('verify')
    .description('compare source and target of a migration, document by document, and show what differs')
    .argument('<source>', 'name of the source index, or, with --show, the id of a migration')
    .option('--show', 'show the newest verification, and begin none')
    .option('--repair', 'before the cutover: write again, or delete, what differs in the target')
    .option('--wait', 'wait until it is done')
    .addOption(timeout())
    .addOption(interval())
    .action(act(run, verifyAction));
}

function addCreateTarget(program: Command, run: Run): void {
  program
    .command('create-target')
    .description('create an index to migrate into, from the settings and the mapping of the source')
    .argument('<source>', 'name of the source index')
    .argument('<target>', 'name of the index to create, which must not exist')
    .addOption(count('--shards <n>', 'primary shards (default: as many as the source has)'))
    .option(
      '--settings <json>',
      'settings that differ from the source; null leaves one out; @file reads a file',
    )
    .option('--mappings <json>', 'changes of the mapping as a merge patch, null removes; @file reads a file')
    .addHelpText('after', examples.createTarget)
    .action(act(run, createTargetAction));
}

function addPlan(program: Command, run: Run): void {
  migrationOptions(
    program
      .command('plan')
      .description(
        'show what a start would meet, and what it does to the target; both indices stay as they are',
      )
      .argument('<source>', 'name of the source index')
      .argument('<target>', 'name of the target index'),
  )
    .addOption(count('--documents <n>', 'documents of the source to try; 0: none (default: 1000)'))
    .addOption(count('--seconds <n>', 'how long to read for the estimates (default: 3)'))
    .addHelpText('after', examples.plan)
    .action(act(run, planAction));
}

function addStart(program: Command, run: Run): void {
  migrationOptions(
    program
      .command('start')
      .description('start a migration, and print its id')
      .argument('<source>', 'name of the source index')
      .argument(
        '<target>',
        'name of the target index, which is there and empty; with --copy files the start makes it',
      ),
  )
    .option('--plan <id>', 'id of a plan: the start is refused when anything that the plan saw has changed')
    .option('--yes', 'create the alias without a question; scripts need it')
    .option('--wait', 'wait until it is COMPLETED')
    .addOption(watch('show it until it has ended'))
    .addOption(timeout())
    .addOption(interval())
    .addHelpText('after', examples.start)
    .action(act(run, startAction));
}

function addSettings(program: Command, run: Run): void {
  const settings = program.command('settings').description('show and change the aosc.* settings');
  settings
    .command('get')
    .description('show settings, with where their values come from')
    .argument('[names...]', 'names, in which * stands for any text; all, if left out')
    .action(act(run, getAction));
  settings
    .command('set')
    .description('change settings while everything runs; null gives one its default')
    .argument('<name=value...>', 'settings and values')
    .option('--transient', 'wins over persistent ones, and stays until it is reset')
    .action(act(run, setAction));
  settings
    .command('diff')
    .description('show what differs from the defaults, or from a profile')
    .addArgument(new Argument('[profile]', 'name of a profile').choices(profileNames))
    .action(act(run, diffAction));
  settings
    .command('profile')
    .description('list the profiles, or set one')
    .addArgument(new Argument('[profile]', 'name of a profile').choices(profileNames))
    .option('--transient', 'wins over persistent ones, and stays until it is reset')
    .action(act(run, profileAction));
}

function addAdministration(program: Command, run: Run): void {
  program
    .command('leases')
    .description('list the leases that migrations hold or have left, and release them')
    .argument('[index]', 'only those of this index')
    .option('--release', 'release them; without it the command only lists them')
    .option('--include-active', 'also those of migrations that have not ended')
    .action(act(run, leasesAction));
  program
    .command('clear-state')
    .description('end stuck migrations: show what that would do, and do it once you confirm')
    .option('--migration-id <id>', 'only this migration')
    .option('--detailed', 'show what is kept about each')
    .option('--no-undo', "leave the write block and the target's settings as they are")
    .option('--no-try-close', 'neither wait for bulks nor close snapshots')
    .option('--yes', 'do it, without a question')
    .action(act(run, clearStateAction));
  program
    .command('doctor')
    .description(
      'examine API, workers, schedulers, OpenSearch and Redis from here, and say what to put right',
    )
    .option(
      '--source <index>',
      'source of a planned migration: checks it, its permissions and the room for its snapshots',
    )
    .option('--target <index>', 'its target')
    .option('--alias <name>', 'its alias')
    .option('--api-only', 'look at the API only')
    .option('--servers-only', 'look at OpenSearch and Redis only')
    .action(act(run, doctorAction));
  program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'name of the shell').choices(shells))
    .action(act(run, completionAction));
  program.command('__complete', { hidden: true }).argument('[words...]').action(act(run, completeAction));
}
