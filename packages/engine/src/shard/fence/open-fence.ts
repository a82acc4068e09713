import {
  fenceAlias,
  fencePattern,
  fencePlaceholder,
  isAbortingPhase,
  isTerminalPhase,
  parseFenceAlias,
  tokenAlias,
} from '@aosc/domain';
import type { MigrationPhase } from '@aosc/contract';
import type { AliasAction, AliasProperties } from '../../ports/alias-port';
import { nameAttempt } from '../../cluster/name-attempt';
import { ShardFailedError } from '../errors';
import type { ShardSession } from '../session/shard-session';

/** The most tries at fences that change between the look and the call. */
const maxTries = 10;

/**
 * Makes the fence of the session's epoch the shard's only one, by a call that consumes the fence before it. Such a call
 * works once: if it comes a second time, or after the next epochs, it finds nothing to consume and changes nothing. So
 * a fence that was closed is never open again: a bulk that was sent through it may still be on its way.
 *
 * Where there is no fence, the call consumes this attempt's own placeholder. A late call may make another attempt's
 * placeholder a second time, and a further late call that consumes it would then work. The call also needs the commit
 * token: neither swap nor abort may find a fence open that it has not taken away.
 * @returns whether every node is known to have applied the call
 * @throws OwnershipLostError when another writer is at the shard, or the migration ends
 * @throws ShardFailedError when there is another index of the target's name, or a client has removed the commit token
 */
export async function openFence(session: ShardSession): Promise<boolean> {
  const { target, migration, shard } = session.context;
  const { index } = target;
  const { aliases } = target.cluster;
  const current = fenceAlias(migration.key, shard, session.epoch);
  const placeholder = fencePlaceholder(migration.key, shard, nameAttempt(session.context.clock));
  const call = { signal: session.signal };
  const add = (alias: string, properties?: AliasProperties): AliasAction => ({
    add: { index, alias, is_hidden: true, ...(properties && { properties }) },
  });

  const token = tokenAlias(migration.key);
  const needsToken: readonly AliasAction[] = [
    { remove: { index, alias: token, must_exist: true } },
    { add: { index, alias: token, is_hidden: true } },
  ];

  for (let tries = 1; tries <= maxTries; tries++) {
    const open = await target.aliases.list(fencePattern(migration.key, shard), call);
    // The end of a migration takes all fences away, and a later epoch than ours is another writer's.
    const isNoneOpen = open.every((alias) => epochOf(alias) === undefined);
    if (isNoneOpen || open.some((alias) => (epochOf(alias) ?? 0) > session.epoch)) await session.verify();
    session.assertOwned();
    if (isNoneOpen && !open.includes(placeholder)) {
      // A client has removed the token, or has made another index in the target's place: no document of ours goes
      // there.
      const described = await target.state.describe(call);
      if (described?.uuid !== migration.targetUuid) {
        throw new ShardFailedError(`Target index [${index}] no longer exists`);
      }
      session.assertOwned();
      const armed = await aliases.update([...needsToken, add(placeholder)], call);
      if (armed.type === 'missing') throw await explainMissing(session, armed.reason);
      continue;
    }
    const consumed: readonly AliasAction[] = [
      ...(isNoneOpen ? needsToken : []),
      ...open.map((alias) => ({ remove: { index, alias, must_exist: true } })),
    ];
    const properties = open.includes(current) ? createUnlike(session) : undefined;
    const update = await aliases.update([...consumed, add(current, properties)], call);
    if (update.type !== 'missing') return update.type === 'acknowledged';
    await session.verify();
  }
  throw session.lose('the fences of the shard do not stand still');
}

/** The migration's record says that it ends before its token is taken. */
async function explainMissing(session: ShardSession, reason: string): Promise<Error> {
  if (!(await session.migrationIsIn(needsFences))) return session.lose('the migration ends');
  await session.verify();
  const { targetIndex } = session.context.migration;
  return new ShardFailedError(`Target index [${targetIndex}] can no longer be fenced: ${reason}`);
}

function needsFences(phase: MigrationPhase): boolean {
  return phase !== 'COMPLETING' && !isAbortingPhase(phase) && !isTerminalPhase(phase);
}

/** @returns undefined for a placeholder, through which no writer writes */
function epochOf(alias: string): number | undefined {
  return parseFenceAlias(alias)?.epoch;
}

/**
 * Makes a call unlike the last. The call that opened the fence had no answer, and the manager alone would answer the
 * same call again, as no change. The manager answers a change when every node has applied it, and all changes before.
 * No search goes through a fence, so its properties are free.
 */
function createUnlike({ context: { clock } }: ShardSession): AliasProperties {
  return { json: JSON.stringify({ search_routing: `${clock.now()}-${clock.random()}` }) };
}
