/** A limit and when it was set. Times are epoch ms of one machine. */
export interface LimitChange {
  readonly limit: number;
  /** from here on it may be in force: a higher one may be used before it is acknowledged */
  readonly sentAt: number;
  /** from here on the one before is on its way out */
  readonly acknowledgedAt: number;
}

/** One shard in the hands of one job. */
export interface ShardHold {
  readonly shard: number;
  /** the same for as long as the job has the shard, another when another job has taken it over */
  readonly id: string;
}

/** What was seen of one node, all of it at one moment between `from` and `to`. */
export interface PermitSample {
  readonly node: string;
  readonly from: number;
  readonly to: number;
  readonly holds: readonly ShardHold[];
}

/** A worker that was killed or paused, and the holds it had by then. */
export interface WorkerLoss {
  readonly at: number;
  readonly holdIds: ReadonlySet<string>;
}

export interface PermitSeries {
  /** in their order; the first is in force before the first sample */
  readonly limits: readonly LimitChange[];
  /** of all nodes, in their order */
  readonly samples: readonly PermitSample[];
  /** other looks at the same holds: a hold that they show earlier had begun by then */
  readonly otherLooks?: readonly PermitSample[];
  readonly losses: readonly WorkerLoss[];
  /** how long after its acknowledgement a lower limit may still be unknown to some process */
  readonly settleMs: number;
  /** how long after the loss of its worker the requests of a hold may still run beside the next one's */
  readonly overlapMs: number;
}

/**
 * Finds samples with more shards of one node than the limit allowed. A limit that falls takes no permit away: work that
 * began under the limit before may finish. So a sample is judged at the moment when the youngest of its holds was seen
 * for the first time: all the others were held by then, and together they must not be more than the highest limit that
 * may have been in force. Holds of a lost worker are left out for as long as they may overlap with the next ones.
 * @returns what was found, in words; empty: nothing
 */
export function evaluatePermits(series: PermitSeries): readonly string[] {
  const begins = findBegins([...series.samples, ...(series.otherLooks ?? [])]);
  return series.samples.flatMap((sample) => {
    const holds = sample.holds.filter(({ id }) => !isOverlapping(sample, id, series));
    const shards = new Set(holds.map(({ shard }) => shard));
    const [youngest] = holds.map(({ id }) => begins.get(id) ?? sample).sort((a, b) => b.from - a.from);
    if (youngest === undefined) return [];
    const allowed = highestLimit(series, youngest);
    if (shards.size <= allowed) return [];
    const names = holds.map(({ id }) => id).join(', ');
    return [
      `${sample.node} at ${sample.from}: ${shards.size} shards (${names}), ` +
        `the youngest begun at ${youngest.from} under a limit of ${allowed}`,
    ];
  });
}

/** The first look at each hold. */
function findBegins(looks: readonly PermitSample[]): ReadonlyMap<string, PermitSample> {
  const begins = new Map<string, PermitSample>();
  for (const look of [...looks].sort((a, b) => a.from - b.from)) {
    for (const { id } of look.holds) if (!begins.has(id)) begins.set(id, look);
  }
  return begins;
}

function isOverlapping(
  { from, to }: PermitSample,
  holdId: string,
  { losses, overlapMs }: PermitSeries,
): boolean {
  return losses.some(({ at, holdIds }) => holdIds.has(holdId) && to >= at && from <= at + overlapMs);
}

/** The highest limit that may have been in force at some moment of the sample. */
function highestLimit({ limits, settleMs }: PermitSeries, { from, to }: PermitSample): number {
  const inForce = limits.filter(({ sentAt }, at) => {
    const { acknowledgedAt: endsAt = Infinity } = limits[at + 1] ?? {};
    return sentAt <= to && endsAt + settleMs >= from;
  });
  return Math.max(...inForce.map(({ limit }) => limit));
}

/** The most shards of one node that one sample shows. */
export function mostShards(samples: readonly PermitSample[]): number {
  return Math.max(0, ...samples.map(({ holds }) => new Set(holds.map(({ shard }) => shard)).size));
}
