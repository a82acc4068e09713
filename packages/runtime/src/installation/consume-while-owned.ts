import type { Consumer } from '@aosc/queue';
import type { Logger } from '@aosc/telemetry';
import type { InstallationWatch } from './watch-installation';

/**
 * Takes jobs as long as the installation is this process's own: starts when that is settled, stops when the process
 * notices that it is not, and starts again when it is.
 * @throws InstallationRefusedError when it is another's from the start; the first error of `open`
 */
export async function consumeWhileOwned(
  installation: InstallationWatch,
  open: () => Consumer,
  graceMs: number,
  logger: Logger,
): Promise<{ close(): Promise<void> }> {
  let taking: Consumer | undefined;
  let ended = false;
  const follow = async (): Promise<void> => {
    const mayTake = !ended && installation.state.type !== 'refused';
    if (mayTake && taking === undefined) taking = open();
    else if (!mayTake && taking !== undefined) {
      const leaving = taking;
      taking = undefined;
      await leaving.close(graceMs);
    }
  };
  await installation.untilOurs();
  await follow();
  let last: Promise<void> = Promise.resolve();
  let queued = false;
  installation.onLook(() => {
    if (queued) return;
    queued = true;
    last = last
      .then(() => {
        queued = false;
        return follow();
      })
      .catch((error: unknown) => logger.warn('taking jobs could not begin, trying again', { error }));
  });
  return {
    async close() {
      ended = true;
      await last;
      await follow();
    },
  };
}
