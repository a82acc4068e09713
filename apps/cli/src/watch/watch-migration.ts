import type { MigrationStatus, WaitOptions } from '@aosc/client';
import { readClusterNow } from '../commands/cluster-now';
import { namedMigration } from '../commands/named-migration';
import { plain } from '../output/text';
import { describeStep, renderLine } from '../status/render-line';
import { renderReport } from '../status/render-report';
import { renderStatus } from '../status/render-status';
import type { Session } from '../session';
import { createLiveScreen } from './live-screen';
import { pollOptions } from './poll-options';

/** The picture moves on between two answers: times run. */
const redrawMs = 1000;
/** A pipe gets a line at each step, and one after so long without any. */
const plainEveryMs = 10_000;

interface Following {
  readonly timeoutMs?: number | undefined;
  readonly migrationId?: string | undefined;
}

/**
 * Shows a migration until it has ended: drawn in place on a terminal, as lines otherwise.
 * @returns its last status
 */
export async function watchMigration(
  session: Session,
  index: string,
  { timeoutMs, migrationId }: Following = {},
): Promise<MigrationStatus> {
  const client = await session.client();
  const view = createView(session);
  const options: WaitOptions = {
    ...pollOptions(session),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(migrationId !== undefined && { migrationId }),
    onStatus: (status) => view.show(status),
    onUnchanged: () => view.showAgain(),
    onTrouble: (error) => view.trouble(error instanceof Error ? error.message : String(error)),
  };
  const last = await namedMigration(client, index)
    .waitFor('terminal', options)
    .finally(() => view.end());
  // Programs have the last status.
  if (!session.isData) {
    const report = renderReport(last, await readClusterNow(session, last));
    session.print(undefined, () => ['', ...report]);
  }
  return last;
}

interface View {
  show(status: MigrationStatus): void;
  /** the API has said that nothing has changed */
  showAgain(): void;
  trouble(text: string): void;
  end(): void;
}

function createView(session: Session): View {
  const isLive = session.shell.out.isTty && !session.isData;
  return isLive ? createLiveView(session) : createPlainView(session);
}

function createLiveView({ shell, paint }: Session): View {
  const screen = createLiveScreen(shell.out);
  let status: MigrationStatus | undefined;
  let trouble: string | undefined;
  const draw = (): void => {
    if (status === undefined) return;
    const width = Math.max(20, shell.out.width() - 1);
    const room = shell.out.height() - 1 - (trouble === undefined ? 0 : 1);
    const lines = renderStatus(status, { width, height: Math.max(5, room), paint, nowMillis: shell.now() });
    screen.draw(trouble === undefined ? lines : [...lines, paint('warn', trouble.slice(0, width))]);
  };
  const timer = setInterval(draw, redrawMs);
  return {
    show(next) {
      [status, trouble] = [next, undefined];
      draw();
    },
    showAgain() {
      trouble = undefined;
      draw();
    },
    trouble(text) {
      trouble = `no answer, asking again: ${plain(text)}`;
      draw();
    },
    end() {
      clearInterval(timer);
      screen.end();
    },
  };
}

function createPlainView(session: Session): View {
  const { shell } = session;
  let lastStep = '';
  let lastMillis = Number.NEGATIVE_INFINITY;
  let last: MigrationStatus | undefined;
  const show = (status: MigrationStatus): void => {
    last = status;
    const step = describeStep(status);
    const now = shell.now();
    // For programs each status counts; people read steps.
    if (!session.isData && step === lastStep && now - lastMillis < plainEveryMs) return;
    [lastStep, lastMillis] = [step, now];
    session.printLine(status, () => renderLine(status, now));
  };
  return {
    show,
    // Programs get what has changed.
    showAgain: () => (last === undefined || session.isData ? undefined : show(last)),
    trouble: (text) => session.note(`no answer, asking again: ${plain(text)}`),
    end: () => undefined,
  };
}
