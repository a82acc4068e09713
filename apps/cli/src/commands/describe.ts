import { isTerminal } from '@aosc/client';
import type { Action } from '../session';
import { readClusterNow } from './cluster-now';
import { namedMigration } from './named-migration';
import { renderDescription, renderShard } from '../status/render-describe';

/** `aosc describe <source|id>` */
export const describeAction: Action = async (session, [name = '']) => {
  const { flags, shell, paint } = session;
  const { signal } = shell;
  const shard = flags.number('shard');
  if (shard !== undefined) {
    const detail = await session.send((client) => namedMigration(client, name).shard(shard, { signal }));
    if (detail !== undefined) session.print(detail, () => renderShard(detail, shell.now()));
    return 'done';
  }
  const status = await session.send((client) => namedMigration(client, name).status({ signal }));
  const timeline = await session.send((client) => namedMigration(client, name).timeline({ signal }));
  if (status === undefined || timeline === undefined) return 'done';
  const frame = { width: shell.out.width(), height: 0, paint, nowMillis: shell.now() };
  const now = isTerminal(status.phase) ? await readClusterNow(session, status) : undefined;
  const description = { status, timeline, now };
  session.print(description, () => renderDescription(description, frame));
  return 'done';
};
