import type { Clearing, MigrationRecord } from '@aosc/contract';

/** In the message of a migration that an administrator has cleared. */
export const clearedNote = 'cleared by an administrator (_clear_state)';

type Named = Pick<MigrationRecord, 'sourceIndex' | 'targetIndex'>;
type Explained = Pick<MigrationRecord, 'reason' | 'clearings' | 'notRestored'>;

/**
 * Why a migration ends as it does, and what it leaves behind. The reason always comes first.
 * @returns undefined when there is nothing to say
 */
export function describeEnd(record: Named & Explained): string | undefined {
  const { reason, clearings = [], notRestored } = record;
  const parts = [reason, ...clearings.map((each) => describeClearing(record, each)), notRestored];
  const said = parts.filter((part) => part !== undefined);
  return said.length === 0 ? undefined : said.join('; ');
}

/** `try_close=false` leaves the migration's snapshots to `_cleanup_leases` on purpose; otherwise they are closed. */
export function wasCleared({ clearings = [] }: Pick<MigrationRecord, 'clearings'>): boolean {
  return clearings.length > 0;
}

/** The inverse of {@link describeEnd}, for records of versions that kept only the message. */
export function readEndMessage(
  message: string,
  record: Named & Pick<MigrationRecord, 'notRestored'>,
): Pick<MigrationRecord, 'reason' | 'clearings'> {
  const { notRestored } = record;
  let reason = notRestored === undefined ? message : withoutNote(message, notRestored);
  const clearings: Clearing[] = [];
  for (;;) {
    // No message ends in both notes: the longer note begins with the shorter one, but does not end with it.
    const last = [{ undone: true }, { undone: false }].find((each) =>
      endsWith(reason, describeClearing(record, each)),
    );
    if (last === undefined) break;
    clearings.unshift(last);
    reason = withoutEnd(reason, describeClearing(record, last));
  }
  return { ...(reason !== '' && { reason }), ...(clearings.length > 0 && { clearings }) };
}

function describeClearing({ sourceIndex, targetIndex }: Named, { undone }: Clearing): string {
  if (undone) return clearedNote;
  return (
    `${clearedNote}; undo=false: a write block on [${sourceIndex}] and changed settings of ` +
    `[${targetIndex}] were left as they are`
  );
}

function withoutNote(message: string, note: string): string {
  return message === note ? '' : message.replace(`; ${note}`, '');
}

function endsWith(message: string, note: string): boolean {
  return message === note || message.endsWith(`; ${note}`);
}

function withoutEnd(message: string, note: string): string {
  return message.slice(0, Math.max(0, message.length - note.length - '; '.length));
}
