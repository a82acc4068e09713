/** Names one installation of the service: `.aosc-migrations` and its Redis hold the same three. */
export interface InstallationNames {
  readonly installationId: string;
  readonly clusterUuid: string;
  readonly redisId: string;
}

/** One side at the last look. All times are of this process: two machines' clocks are never compared. */
interface InstallationSide {
  /** undefined: it is not there */
  readonly names: InstallationNames | undefined;
  /** ms for which it has not changed, from the first look on */
  readonly unchangedMs: number;
  /** how often it was renewed while these very names stood on both sides */
  readonly renewals: number;
}

export interface InstallationObservation {
  /** of the cluster that answers at the configured address */
  readonly clusterUuid: string;
  /** in `.aosc-migrations` */
  readonly record: InstallationSide;
  /** in Redis */
  readonly mark: InstallationSide;
  /** what this process has worked with or written since its start */
  readonly mine: InstallationNames | undefined;
}

export type InstallationVerdict =
  | { readonly type: 'ours' }
  /** there is no record: this process creates one with these names, or with new ones where undefined */
  | { readonly type: 'create'; readonly as: InstallationNames | undefined }
  /** Redis was emptied, or its old owner is dead: this process writes the record's names there */
  | { readonly type: 'mark' }
  /** no process renews the record: this process makes it name this Redis, by the id it has or by a new one */
  | { readonly type: 'take_over'; readonly redisId: string | undefined }
  /** `strangers`: Redis has another installation's names, and the next looks show whether that one lives */
  | { readonly type: 'wait'; readonly strangers: boolean; readonly reason: string }
  | { readonly type: 'refused'; readonly fault: 'cluster' | 'redis'; readonly reason: string };

/** A living side renews at least this often. */
export const installationRenewMs = 5_000;
/** A side that has not renewed for this long, six renewals, is taken for dead. */
export const installationLeaseMs = 30_000;

/**
 * Whether this process may work with the Redis and the cluster of its configuration. One cluster's records are worked
 * on through one Redis, and one Redis (with one `AOSC_QUEUE_PREFIX`) serves one cluster.
 *
 * An empty Redis is normal. A process that has worked there writes the names again at once. A process that has just
 * started can't distinguish it from a second Redis: it waits until another process has written the names, or until the
 * record's lease has run out.
 */
export function evaluateInstallation(observation: InstallationObservation): InstallationVerdict {
  const { clusterUuid, mine } = observation;
  const record = observation.record.names;
  const mark = observation.mark.names;
  if (record === undefined) {
    const known = [mine, mark].find((names) => names?.clusterUuid === clusterUuid);
    return { type: 'create', as: known };
  }
  if (record.clusterUuid !== clusterUuid) return refuse('cluster', restored(record.clusterUuid, clusterUuid));
  if (mark !== undefined && isSame(mark, record)) return { type: 'ours' };

  const isStranger = mark !== undefined && !isSameInstallation(mark, record);
  if (isStranger && observation.mark.unchangedMs < installationLeaseMs) {
    if (observation.mark.renewals > 0) return refuse('redis', serves(mark.clusterUuid, clusterUuid));
    return wait('the names of another installation stand in Redis: looking whether it lives', true);
  }
  if (mine !== undefined && isSame(mine, record)) return { type: 'mark' };
  if (observation.record.unchangedMs >= installationLeaseMs) {
    return { type: 'take_over', redisId: isStranger ? undefined : mark?.redisId };
  }
  // The second renewal began after this Redis was seen: a service that lives there would have written the names here.
  if (observation.record.renewals > 1) return refuse('redis', otherRedis);
  return wait(
    'Redis does not have the names of this installation: looking whether it was emptied, or is another one',
    false,
  );
}

function isSameInstallation(a: InstallationNames, b: InstallationNames): boolean {
  return a.installationId === b.installationId && a.clusterUuid === b.clusterUuid;
}

function isSame(a: InstallationNames, b: InstallationNames): boolean {
  return isSameInstallation(a, b) && a.redisId === b.redisId;
}

function refuse(fault: 'cluster' | 'redis', reason: string): InstallationVerdict {
  return { type: 'refused', fault, reason };
}

function wait(reason: string, strangers: boolean): InstallationVerdict {
  return { type: 'wait', strangers, reason };
}

const restored = (from: string, here: string) =>
  `the [.aosc-migrations] of this cluster [${here}] was written in cluster [${from}]: it was restored from a snapshot, ` +
  'or copied. To go on here, delete its document [installation]: settings and ended migrations stay, and a migration ' +
  'that had not ended will fail';

const serves = (other: string, here: string) =>
  (other === here
    ? 'this Redis (AOSC_REDIS_URL, AOSC_QUEUE_PREFIX) is in use by another installation'
    : `this Redis (AOSC_REDIS_URL, AOSC_QUEUE_PREFIX) is in use by the installation of cluster [${other}], ` +
      `and AOSC_OPENSEARCH_URL names cluster [${here}]`) +
  `: give each cluster a Redis or an AOSC_QUEUE_PREFIX of its own; one whose installation is gone is free after ${installationLeaseMs / 1000} s`;

const otherRedis =
  'processes of the service already work on this cluster with another Redis (AOSC_REDIS_URL, AOSC_QUEUE_PREFIX): ' +
  'give all processes the same one. To move to a new Redis, stop all of them first; ' +
  `their place is free ${installationLeaseMs / 1000} s later`;
