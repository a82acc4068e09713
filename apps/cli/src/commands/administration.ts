import type { LeaseCleanup, StateClearing } from '@aosc/client';
import type { ExitName } from '../exit-codes';
import { plain, table } from '../output/text';
import type { Action, Session } from '../session';

/** `aosc leases`: lists them, and with `--release` releases them. */
export const leasesAction: Action = async (session, [index]) => {
  const { flags, shell } = session;
  const releases = flags.isOn('release') && !session.isDryRun;
  const answer = await session.send((client) =>
    client.cleanupLeases({
      dryRun: !releases,
      includeActive: flags.isOn('includeActive'),
      signal: shell.signal,
      ...(index !== undefined && { index }),
    }),
  );
  if (answer === undefined) return 'done';
  session.print(answer, () => describeLeases(answer, flags.isOn('release')));
  return releases && answer.failed > 0 ? 'unhealthy' : 'done';
};

function describeLeases(
  { leases, released, dry_run: isDry, failed, truncated }: LeaseCleanup,
  asksToRelease: boolean,
): readonly string[] {
  const left = isDry && asksToRelease ? 'would be released' : 'held';
  const rows = leases.map(
    ({ index, shard, lease_id: id, retaining_seq_no: seqNo, released: gone, error }) => [
      plain(index),
      String(shard),
      plain(id),
      `from ${seqNo}`,
      gone ? 'released' : plain((asksToRelease ? error : undefined) ?? left),
    ],
  );
  return [
    ...(rows.length === 0 ? ['no leases'] : table(rows)),
    ...(isDry ? [] : [`${released} released, ${failed} not released`]),
    ...(truncated ? ['there are more: run it again'] : []),
  ];
}

/** `aosc clear-state`: shows what it would clear, and clears it once the user has confirmed. */
export const clearStateAction: Action = async (session) => {
  const { flags, shell } = session;
  const migrationId = flags.text('migrationId');
  const options = {
    tryClose: flags.isOn('tryClose'),
    undo: flags.isOn('undo'),
    detailed: flags.isOn('detailed'),
    signal: shell.signal,
    ...(migrationId !== undefined && { migrationId }),
  };
  if (session.printsRequests) {
    // The request that it sends first, or, with --yes, in the end.
    const dryRun = session.isDryRun || !flags.isOn('yes');
    await session.send((client) => client.clearState({ ...options, dryRun }));
    return 'done';
  }
  const client = await session.client();
  const trial = await client.clearState({ ...options, dryRun: true });
  const count = Object.keys(trial.migrations).length;
  if (count === 0 || session.isDryRun || !(await confirmClearing(session, trial, count))) {
    session.print(trial, () => describeClearing(trial, migrationId));
    return 'done';
  }
  const cleared = await client.clearState({ ...options, dryRun: false });
  session.print(cleared, () => describeClearing(cleared, migrationId));
  return exitOf(cleared);
};

/** Without a terminal it only shows what it would do, which is its most frequent use. */
async function confirmClearing(session: Session, trial: StateClearing, count: number): Promise<boolean> {
  const { flags, shell } = session;
  if (flags.isOn('yes')) return true;
  if (session.isData || !shell.out.isTty) {
    session.note('nothing was cleared: --yes clears these');
    return false;
  }
  for (const line of describeClearing(trial, flags.text('migrationId'))) session.note(line);
  return session.confirm(`End and clear ${count === 1 ? 'it' : `these ${count}`}?`);
}

/** @param id of the only migration that was asked for */
function describeClearing({ migrations }: StateClearing, id: string | undefined): readonly string[] {
  const rows = Object.entries(migrations).map(
    ([each, { phase, cluster_state: record, active_migrations: job, error }]) => [
      plain(each),
      phase ?? '',
      `record ${wordsOf(record)}`,
      `job ${wordsOf(job)}`,
      plain(error ?? ''),
    ],
  );
  if (rows.length > 0) return table(rows);
  return [id === undefined ? 'nothing to clear' : `there is no migration ${plain(id)} to clear`];
}

/** `would_clear`, `cleared`, `not_found` */
const wordsOf = (state: string): string =>
  state === 'would_clear' ? 'would be cleared' : state.replaceAll('_', ' ');

function exitOf({ migrations }: StateClearing): ExitName {
  const isLeft = Object.values(migrations).some(({ error }) => error !== undefined);
  return isLeft ? 'unhealthy' : 'done';
}
