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

/** The most tries: other calls may change the fences after a try has listed them. */
const maxTries = 10;

/**
 * Makes the fence of the session's epoch the shard's only one, by a call that consumes the fence before it: the call
 * removes that fence, and fails where it is missing. Such a call works once. If it arrives a second time, or after the
 * next epochs have begun, it finds nothing to consume and changes nothing. So a closed fence never opens again.
 * Otherwise a bulk that was sent through it, and is still on its way, would be applied.
 *
 * Where the shard has no fence, the call consumes a placeholder alias, which this attempt makes under a name of its
 * own. No request that is still on its way can make this name again. The placeholder of an earlier attempt could come
 * back: then a late copy of that attempt's call would work, and open a closed fence. Without a fence the calls also
 * need the commit token, a hidden alias of the target. Swap and abort take the token away: after them no call opens a
 * fence.
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
    // Without a fence the migration may have ended, because its end takes all fences away. A later epoch than ours is
    // another writer's. In both cases the record says whether this session still owns the shard.
    const isNoneOpen = open.every((alias) => epochOf(alias) === undefined);
    if (isNoneOpen || open.some((alias) => (epochOf(alias) ?? 0) > session.epoch)) await session.verify();
    session.assertOwned();
    if (isNoneOpen && !open.includes(placeholder)) {
      // A client has removed the fence, or has made another index in the target's place. This session must not write
      // to that index.
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

/**
 * Says why the commit token or the target is missing. A migration writes its end into its record before it removes the
 * token. So if the record shows no end, a client has removed the token or the target.
 */
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
 * Makes alias properties that the open fence does not have, for a call that follows a call without an answer. That
 * earlier call has opened the fence, perhaps not on every node yet. The same call again would change nothing, and the
 * manager would answer at once. The manager answers a call that changes the alias only when every node has applied this
 * change and all earlier ones. No search goes through a fence, so its properties have no effect.
 */
function createUnlike({ context: { clock } }: ShardSession): AliasProperties {
  return { json: JSON.stringify({ search_routing: `${clock.now()}-${clock.random()}` }) };
}
