import { describePhase, isTerminal, type MigrationPhase, type MigrationStatus } from '@aosc/client';
import { migrationPhases } from '@aosc/contract';
import type { ExitName } from '../exit-codes';
import { UsageError } from '../failure';
import { plain } from '../output/text';
import type { Action, Session } from '../session';
import { readWaits } from '../status/read-waits';
import { renderList } from '../status/render-list';
import { renderStatus } from '../status/render-status';
import { sumUp } from '../status/totals';
import { pollOptions } from '../watch/poll-options';
import { watchList } from '../watch/watch-list';
import { watchMigration } from '../watch/watch-migration';
import { namedMigration } from './named-migration';

/** `aosc status <index>` */
export const statusAction: Action = async (session, [index = '']) => {
  const { flags, shell, paint } = session;
  if (flags.isOn('watch') && !session.printsRequests) {
    return exitOf(await watchMigration(session, index));
  }
  const status = await session.send((client) =>
    namedMigration(client, index).status({ signal: shell.signal }),
  );
  if (status !== undefined) {
    const frame = {
      width: shell.out.width(),
      height: Number.POSITIVE_INFINITY,
      paint,
      nowMillis: shell.now(),
    };
    // On a terminal a line for each of many shards would push the rest out of sight.
    const height = shell.out.isTty ? Math.max(24, shell.out.height()) : frame.height;
    session.print(status, () => renderStatus(status, { ...frame, height }));
  }
  return 'done';
};

/** `aosc list` */
export const listAction: Action = async (session) => {
  const { flags, shell, paint } = session;
  const size = flags.number('size');
  const phases = flags.list('phase').map(parsePhase);
  const options = { ...(size !== undefined && { size }), ...(phases.length > 0 && { status: phases }) };
  if (flags.isOn('watch') && !session.printsRequests) {
    return watchList(session, options);
  }
  const answer = await session.send((client) => client.list({ ...options, signal: shell.signal }));
  const frame = {
    width: shell.out.width(),
    paint,
    nowMillis: shell.now(),
    isWide: session.format === 'wide',
  };
  if (answer === undefined) return 'done';
  const waits = session.isData ? new Map<string, string>() : await readWaits(session, answer);
  session.print(answer, () => renderList(answer, { ...frame, waits }));
  return 'done';
};

/** `aosc wait <index>` */
export const waitAction: Action = (session, [index = '']) => {
  const { flags } = session;
  const wanted = flags.text('for') ?? 'COMPLETED';
  return follow(
    session,
    index,
    wanted === 'end' ? 'terminal' : parsePhase(wanted),
    flags.text('migrationId'),
  );
};

/** `aosc cancel <index>`: asks first, because a cancel gives up everything that was copied. */
export const cancelAction: Action = async (session, [index = '']) => {
  const { signal } = session.shell;
  if (!session.printsRequests && (session.isDryRun || !session.flags.isOn('yes'))) {
    const status = await (await session.client()).status(index, { signal });
    const { phase } = status;
    // The API refuses to cancel a migration that has ended, and says why.
    if (session.isDryRun) {
      session.print({ migration_id: status.migration_id, phase, would_cancel: !isTerminal(phase) }, () => [
        isTerminal(phase)
          ? `${describe(status)}: there is nothing to cancel`
          : `would cancel this migration: ${describe(status)}`,
      ]);
      return isTerminal(phase) ? 'refused' : 'done';
    }
    if (
      !isTerminal(phase) &&
      !(await session.confirm(`${describe(status)}. Cancel it, and give up its copy?`))
    ) {
      session.note('nothing was cancelled');
      return 'done';
    }
  }
  const answer = await session.send((client) => client.cancel(index, { signal }));
  if (answer === undefined) return 'done';
  if (!session.flags.isOn('wait')) {
    session.print(answer, () => [answer.phase]);
    return 'done';
  }
  return follow(session, index, 'CANCELLED', undefined);
};

/** A migration in a few words. */
function describe(status: MigrationStatus): string {
  const { share } = sumUp(status);
  const copied = share === undefined ? '' : `, ${Math.floor(share * 100)}% copied`;
  return plain(`${status.source_index} -> ${status.target_index} is ${status.phase}${copied}`);
}

/** Waits for the end, and with `--watch` shows the progress. */
export async function follow(
  session: Session,
  index: string,
  wanted: MigrationPhase | 'terminal',
  migrationId: string | undefined,
): Promise<ExitName> {
  const { flags } = session;
  if (session.printsRequests) {
    // Prints the request that a wait would repeat.
    await session.send((client) => namedMigration(client, index).status({}));
    return 'done';
  }
  const timeoutMs = flags.number('timeout');
  if (flags.isOn('watch')) return exitOf(await watchMigration(session, index, { timeoutMs, migrationId }));
  const client = await session.client();
  const status = await namedMigration(client, index).waitFor(wanted, {
    ...pollOptions(session),
    ...(migrationId !== undefined && { migrationId }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  session.print(status, () => [describePhase(status)]);
  return status.rehearsal?.outcome === undefined ? 'done' : exitOf(status);
}

function exitOf({ phase, rehearsal }: MigrationStatus): ExitName {
  const isWell = phase === 'COMPLETED' || rehearsal?.outcome === 'exact';
  return isTerminal(phase) && !isWell ? 'ended' : 'done';
}

function parsePhase(text: string): MigrationPhase {
  const found = migrationPhases.find((phase) => phase === text.toUpperCase());
  if (found === undefined) throw new UsageError(`[${text}] is no phase: ${migrationPhases.join(', ')}`);
  return found;
}
