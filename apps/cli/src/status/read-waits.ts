import {
  type AoscClient,
  ClientError,
  isTerminal,
  type ListAnswer,
  type MigrationStatus,
} from '@aosc/client';
import type { Session } from '../session';
import { describeCutover } from './describe-cutover';

/** Migrations that run beyond these have no note: each costs a request. */
const most = 20;

/** What the migrations of a list wait for, by id: their status says it, and the list does not. */
export async function readWaits(
  session: Session,
  { migrations }: ListAnswer,
): Promise<ReadonlyMap<string, string>> {
  const client = await session.client();
  const running = migrations.filter(({ phase }) => !isTerminal(phase)).slice(0, most);
  const found = await Promise.all(
    running.map(
      async ({ migration_id: id }) => [id, await readWait(client, id, session.shell.signal)] as const,
    ),
  );
  return new Map(found.flatMap(([id, wait]) => (wait === undefined ? [] : [[id, wait] as const])));
}

/** A note is no reason for the list to fail: the migration may have been cleared since. */
async function readWait(client: AoscClient, id: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return waitOf(await client.migration(id, { signal }));
  } catch (error) {
    if (error instanceof ClientError) return undefined;
    throw error;
  }
}

function waitOf({ waiting_for: wait, cutover }: MigrationStatus): string | undefined {
  if (wait !== undefined) return wait.text ?? wait.reason;
  return cutover?.waits_for === undefined ? undefined : `cutover ${describeCutover(cutover)}`;
}
