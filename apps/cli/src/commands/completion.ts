import { timeLimit } from '@aosc/signals';
import { completeWords, type Known } from '../completion/complete';
import { scripts, shells } from '../completion/scripts';
import { UsageError } from '../failure';
import { plain } from '../output/text';
import type { Action, Session } from '../session';

/** `aosc completion <shell>` */
export const completionAction: Action = (session, [given]) => {
  const shell = shells.find((name) => name === given);
  if (shell === undefined)
    throw new UsageError(`no completion for ${given ?? 'no shell'}: ${shells.join(', ')}`);
  session.shell.out.write(scripts[shell]);
  return Promise.resolve('done');
};

/**
 * `aosc __complete -- words...`: the command that a completion script calls. Each line is a word, a tab and its
 * description.
 */
export const completeAction: Action = async (session, words) => {
  const offers = await completeWords(session.program(), words, () => readKnown(session));
  for (const { word, description } of offers)
    session.shell.out.write(`${plain(word)}\t${plain(description)}\n`);
  return 'done';
};

/** The user waits with a finger on the key. */
const limitMs = 2_000;
const size = 500;

/** Names that migrations have. While the API is away there are none, and the shell completes nothing. */
async function readKnown(session: Session): Promise<Known> {
  try {
    const client = await session.client();
    const { migrations } = await client.list({
      size,
      signal: timeLimit(limitMs, session.shell.signal),
    });
    return {
      indices: [
        ...new Set(migrations.flatMap(({ source_index: source, target_index: target }) => [source, target])),
      ],
      ids: migrations.map(({ migration_id: id }) => id),
    };
  } catch {
    return { indices: [], ids: [] };
  }
}
