import { ApiError, type ListItem } from '@aosc/client';
import { nearestName } from '@aosc/contract';
import { timeLimit } from '@aosc/signals';
import { plain } from '../output/text';
import type { Session } from '../session';

/** The user waits for an error message. */
const limitMs = 2_000;
const size = 500;
const noMigration =
  /^No (?:active )?migration found for (?:source )?index: ?\[(.+)\]|^No migration found for index \[(.+)\]/;

/**
 * What the user may have meant by a name that has no migration: the alias or the target of one, or a typo.
 * @returns undefined when another error was made, or nothing is near
 */
export async function explainMissingName(session: Session, error: unknown): Promise<string | undefined> {
  if (!(error instanceof ApiError) || session.printsRequests) return undefined;
  const [, active, any] = noMigration.exec(error.reason) ?? [];
  const name = active ?? any;
  if (name === undefined) return undefined;
  try {
    const client = await session.client();
    const { migrations } = await client.list({ size, signal: timeLimit(limitMs, session.shell.signal) });
    const hint = describeNearby(name, migrations);
    return hint === undefined ? undefined : plain(hint);
  } catch {
    // The error that the user gets is the first one.
    return undefined;
  }
}

/** @param migrations newest first */
function describeNearby(name: string, migrations: readonly ListItem[]): string | undefined {
  const byAlias = migrations.find(({ alias }) => alias === name);
  if (byAlias !== undefined)
    return `${name} is the alias in the migration of ${byAlias.source_index}: name that`;
  const byTarget = migrations.find(({ target_index: target }) => target === name);
  if (byTarget !== undefined)
    return `${name} is the target in the migration of ${byTarget.source_index}: name that`;
  if (migrations.some(({ source_index: source }) => source === name)) return undefined;
  const known = migrations.flatMap(({ source_index: source, migration_id: id }) => [source, id]);
  const nearest = nearestName(name, [...new Set(known)]);
  if (nearest !== undefined) return `did you mean ${nearest}?`;
  return migrations.length === 0 ? undefined : '"aosc list" shows all migrations';
}
