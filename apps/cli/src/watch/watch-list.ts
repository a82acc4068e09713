import { type ListAnswer, type ListOptions, poll } from '@aosc/client';
import { renderList } from '../status/render-list';
import type { Session } from '../session';
import { createLiveScreen } from './live-screen';
import { pollOptions } from './poll-options';

/** Shows the list again and again until Ctrl-C: in place on a terminal; elsewhere when it has changed. */
export async function watchList(session: Session, options: ListOptions): Promise<never> {
  const { shell, paint } = session;
  const client = await session.client();
  const screen = shell.out.isTty && !session.isData ? createLiveScreen(shell.out) : undefined;
  let last = '';
  try {
    const { signal } = shell;
    for await (const answer of poll(() => client.list({ ...options, signal }), pollOptions(session))) {
      const step = describeSteps(answer);
      const frame = {
        width: shell.out.width(),
        paint,
        nowMillis: shell.now(),
        isWide: session.format === 'wide',
      };
      if (screen !== undefined) screen.draw(renderList(answer, { ...frame, width: frame.width - 1 }));
      else if (step !== last && session.isData) session.printLine(answer, () => '');
      else if (step !== last)
        session.print(answer, () => [new Date(shell.now()).toISOString(), ...renderList(answer, frame)]);
      last = step;
    }
    throw new Error('a watch without an end has ended');
  } finally {
    screen?.end();
  }
}

function describeSteps({ migrations }: ListAnswer): string {
  return JSON.stringify(
    migrations.map(({ migration_id: id, phase, shards_by_phase: shards }) => [id, phase, shards]),
  );
}
