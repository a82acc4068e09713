import { type AppConfig, readRedisAccess } from '@aosc/config';
import { examineRedis, type RedisFacts } from '@aosc/queue';
import { systemClock } from '@aosc/runtime';
import {
  fail,
  type Finding,
  judgeClock,
  judgePersistence,
  judgeRedisMemory,
  judgeRedisVersion,
  judgeRoundTrip,
  judgeRunning,
  look,
  median,
  ok,
} from './finding';

/**
 * Redis as the service would see it from here, and which processes take jobs there.
 * @param clusterUuid undefined: processes are not looked for
 */
export async function examineRedisServer(
  config: AppConfig<'worker'>,
  clusterUuid: string | undefined,
): Promise<readonly Finding[]> {
  const advice =
    'Check AOSC_REDIS_URL, its credentials and AOSC_REDIS_CA, and that this machine may connect.';
  let facts: RedisFacts | undefined;
  const reached = await look('redis', 'reach', advice, async () => {
    const access = { ...readRedisAccess(config), prefix: config.queuePrefix, clusterUuid };
    facts = await examineRedis(access, systemClock);
    return ok('answers');
  });
  return facts === undefined ? reached : [...reached, ...judge(facts)];
}

function judge(facts: RedisFacts): readonly Finding[] {
  const { evictionProblem, isReplica, isUnknownCluster, running } = facts;
  const judgements = {
    version: judgeRedisVersion(facts.version),
    policy:
      evictionProblem === undefined
        ? ok('evicts nothing')
        : fail(
            evictionProblem,
            'CONFIG SET maxmemory-policy noeviction, and the same in its configuration file.',
          ),
    ...(isUnknownCluster && { kind: fail('is a cluster', 'Set AOSC_REDIS_CLUSTER=yes.') }),
    role: isReplica
      ? fail(
          'is a replica',
          'Point AOSC_REDIS_URL at the primary, or name its sentinels in AOSC_REDIS_SENTINELS.',
        )
      : ok('is a primary'),
    memory: judgeRedisMemory(facts.usedBytes, facts.maxBytes),
    persistence: judgePersistence(facts.appends, facts.saves),
    clock: judgeClock('its clock', facts.skewMs, median(facts.roundTripsMs) / 2),
    'round trip': judgeRoundTrip(facts.roundTripsMs),
    ...(running !== undefined && {
      workers: judgeRunning('worker', running.workers),
      schedulers: judgeRunning('scheduler', running.schedulers),
    }),
  };
  return Object.entries(judgements).map(([check, one]): Finding => ({ area: 'redis', check, ...one }));
}
