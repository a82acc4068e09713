import type { ShardRecord } from '@aosc/contract';
import { LastOfCompany } from './last-of-company';

type ShardPhase = ShardRecord['phase'];

/** Those that a last round brings its shard to. The scheduler goes on when all shards of the migration are there. */
const phasesWaitedFor = ['COMPLETING', 'COMPLETED'] as const;

export interface LastRound {
  /** wakes the scheduler, if it was this shard that it still waited for */
  readonly onProgress: (phase: ShardPhase) => Promise<void>;
  /** to be called however the job has ended */
  readonly end: () => Promise<void>;
}

/** The last rounds that run in this process. */
export class LastRounds {
  private readonly companies = phasesWaitedFor.map((phase) => ({ phase, company: new LastOfCompany() }));

  /**
   * @param phase the shard's at the beginning: nobody waits for it to get where it is already
   * @param wake the scheduler of the migration; must not throw
   */
  join(key: string, phase: ShardPhase | undefined, wake: () => Promise<void>): LastRound {
    const ahead = this.companies.filter((each) => each.phase !== phase);
    const companions = new Map<ShardPhase, ReturnType<LastOfCompany['join']>>(
      ahead.map((each) => [each.phase, each.company.join(key, wake)]),
    );
    return {
      // Of a failure the scheduler hears at once.
      onProgress: (reached) => companions.get(reached)?.arrive() ?? wake(),
      end: async () => {
        for (const companion of companions.values()) await companion.leave();
      },
    };
  }
}
