import { type Command, Option } from 'commander';
import { collect, parseCount, parseDuration } from './flags';

export const duration = (flags: string, words: string) => new Option(flags, words).argParser(parseDuration);
export const count = (flags: string, words: string) => new Option(flags, words).argParser(parseCount);
export const many = (flags: string, words: string) => new Option(flags, words).argParser(collect);

/** Adds what a start is asked for. */
export function migrationOptions(command: Command): Command {
  return command
    .option('--alias <name>', 'alias that is moved from the source to the target (required)')
    .addOption(count('--convergence-threshold <n>', 'operations left at which a shard has converged'))
    .addOption(count('--max-rounds <n>', 'rounds after which a shard with a larger gap fails'))
    .addOption(count('--doc-count-tolerance <n>', 'difference of the counts that is accepted'))
    .addOption(duration('--target-ready-timeout <time>', 'longest wait for the target to become green'))
    .option('--validation-query <json>', 'Query DSL that filters the counts; @file reads a file')
    .option(
      '--accept-data-loss',
      'accept_data_loss_if_custom_routing_is_used: needed for fewer shards or an uneven count. Nothing is lost: if two documents can not both live in the target, the migration fails',
    )
    .option(
      '--create-alias',
      'let the swap create an alias that is not on the source; asks first, as applications that use another name stay on the source, which takes no writes after the swap',
    )
    .option(
      '--fail-on-mapping-drift',
      'fail before the cutover when source and target map a field in different ways by then',
    )
    .option('--remove-source-write-block', 'lift the write block of the source after the swap')
    .addOption(
      new Option(
        '--copy <how>',
        'documents: one by one; files: those of the source; auto: files where they fit (default: documents)',
      ).choices(['documents', 'files', 'auto']),
    )
    .option(
      '--no-merge-before-replicas',
      'with --copy files: make replicas before the deleted documents of a split are merged away',
    )
    .addOption(
      new Option(
        '--verify <how>',
        'what the cutover needs. count: equal counts; content: every document verified (default: count)',
      ).choices(['count', 'content']),
    )
    .option('--rehearse', 'copy and verify everything, and end where the cutover would begin: no alias moves')
    .addOption(
      new Option(
        '--on-document-error <how>',
        'set_aside: a document that the target refuses is kept aside, and the cutover waits (default: fail)',
      ).choices(['fail', 'set_aside']),
    )
    .addOption(count('--max-set-aside <n>', 'more refused documents fail the migration (default: 1000)'))
    .addOption(count('--shards <n>', 'with --copy files: primary shards of the target'))
    .option('--settings <json>', 'with --copy files: settings of the target that differ; @file reads a file')
    .addOption(
      new Option(
        '--cutover <how>',
        'manual: the cutover waits until the command "cutover" approves it',
      ).choices(['automatic', 'manual']),
    )
    .option('--not-before <time>', 'the cutover does not begin earlier than this, like 2026-11-28T02:00:00Z')
    .addOption(
      many(
        '--window <window>',
        'the cutover begins only inside this window, like "sat,sun 22:00-04:00 Europe/Berlin"; may be repeated',
      ),
    )
    .addOption(
      duration(
        '--max-pause <time>',
        'a cutover that refuses writes for longer than this, like 5s, is undone and tried again',
      ),
    )
    .addOption(count('--max-cutover-attempts <n>', 'undone cutovers after which the migration fails'))
    .addOption(
      many('--target-setting <name=value>', 'setting of the target while it is filled; may be repeated'),
    )
    .option('--script <text>', 'Painless that transforms each document; @file reads a file')
    .option('--stored-script <script>', 'the same as a stored script')
    .option('--script-params <json>', 'parameters of the script; @file reads a file');
}
