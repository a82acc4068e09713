import type { ShardFlow } from '@aosc/contract';
import { Gauge } from 'prom-client';
import type { Figures } from './figures';

const works = ['backfill', 'replay'] as const;

/** The load that one job on a shard puts on the cluster at the moment. */
type JobFlow = Pick<ShardFlow, 'targetBytes' | 'concurrency' | 'pauses' | 'pausedUntilMillis'> & {
  readonly work: (typeof works)[number];
};

/**
 * Sums over the jobs of this process: a label for each shard would make as many series as there are shards.
 * @returns takes the state of a job; undefined: it has ended
 */
export function createFlowGauges({ counterBy, registers }: Figures) {
  const jobs = new Map<string, JobFlow>();
  const gauge = (name: string, help: string, valueOf: (flow: JobFlow) => number): void => {
    new Gauge({
      name,
      help,
      labelNames: ['work'],
      registers,
      collect() {
        for (const work of works) {
          const flows = [...jobs.values()].filter((flow) => flow.work === work);
          this.set(
            { work },
            flows.reduce((sum, flow) => sum + valueOf(flow), 0),
          );
        }
      },
    });
  };
  gauge('aosc_flow_jobs', 'Jobs on shards that run', () => 1);
  gauge(
    'aosc_flow_target_bytes',
    'Bytes that a bulk should have, summed over these jobs',
    (f) => f.targetBytes,
  );
  gauge(
    'aosc_flow_concurrency',
    'Bulks that may be under way at once, of all these jobs',
    (f) => f.concurrency,
  );
  gauge(
    'aosc_flow_paused_jobs',
    'Of these jobs, those that hold back because the cluster asked for it',
    (f) => ((f.pausedUntilMillis ?? 0) > Date.now() ? 1 : 0),
  );
  const countPauses = counterBy(
    'work',
    'aosc_pauses_total',
    'Pauses that the cluster has asked jobs on shards for',
    works,
  );
  return (job: string, flow: JobFlow | undefined): void => {
    if (flow === undefined) {
      jobs.delete(job);
      return;
    }
    countPauses(flow.work, Math.max(0, flow.pauses - (jobs.get(job)?.pauses ?? 0)));
    jobs.set(job, flow);
  };
}
