import type { PollOptions } from '@aosc/client';
import { plain } from '../output/text';
import type { Session } from '../session';

/** How a command asks again and again. */
export function pollOptions(session: Session): PollOptions {
  const intervalMs = session.flags.number('interval');
  return {
    signal: session.shell.signal,
    ...(intervalMs !== undefined && { intervalMs }),
    onTrouble: (error) => session.note(`no answer, asking again: ${plain(String(error))}`),
  };
}
