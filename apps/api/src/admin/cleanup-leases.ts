import type { CleanupLeasesAnswer, MigrationRecord } from '@aosc/contract';
import { type Call, compareAndSet } from '@aosc/engine';
import type { ApiDependencies } from '../dependencies';
import { type HeldLease, heldLease, refuseRelease, withoutLease } from './held-lease';

/** Migrations, newest first, whose shards are looked at in one request. */
const maxMigrations = 500;
/** Rows of one answer. */
const maxLeases = 1_000;
/** Changes of a shard's record by others that one row goes along with. */
const maxTries = 5;
/** The caller must get an answer, so leases that are left when this has passed are neither read nor closed. */
const limitMs = 30_000;

export interface CleanupRequest {
  /** undefined: every source */
  readonly index: string | undefined;
  readonly dryRun: boolean;
  /** also leases of migrations that have not ended */
  readonly includeActive: boolean;
}

type LeaseRow = CleanupLeasesAnswer['leases'][number];

interface Finding {
  readonly migration: MigrationRecord;
  readonly lease: HeldLease;
}

/** Lists the snapshots that shard records still name, and closes them unless it is a dry run. */
export async function cleanupLeases(
  deps: ApiDependencies,
  request: CleanupRequest,
): Promise<CleanupLeasesAnswer> {
  const deadline = deps.now() + limitMs;
  const { findings, truncated } = await findLeases(deps, request.index, deadline);
  const leases: LeaseRow[] = [];
  for (const finding of findings) {
    const { migration, lease } = finding;
    leases.push(
      request.dryRun
        ? toRow(lease, false, refuseRelease(migration, request.includeActive))
        : await release(deps, finding, request, deadline),
    );
  }
  return {
    dry_run: request.dryRun,
    leases,
    released: leases.filter(({ released }) => released).length,
    // A dry run has tried nothing, so nothing has failed; its rows say what would stay.
    failed: request.dryRun ? 0 : leases.filter(({ error }) => error !== undefined).length,
    truncated,
  };
}

/** Terminal migrations and active ones, by search; those that run also in real time. */
async function findLeases(
  { store, newCall, now }: ApiDependencies,
  index: string | undefined,
  deadline: number,
): Promise<{ findings: readonly Finding[]; truncated: boolean }> {
  const call = newCall();
  const [listing, active] = await Promise.all([
    store.listMigrations({ sourceIndex: index, size: maxMigrations }, call),
    store.listActive(call),
  ]);
  const running = active
    .map(({ record }) => record)
    .filter(({ sourceIndex }) => index === undefined || sourceIndex === index);
  const migrations = new Map([...running, ...listing.migrations].map((record) => [record.key, record]));
  const findings: Finding[] = [];
  let { truncated } = listing;
  for (const migration of migrations.values()) {
    if (findings.length > maxLeases || now() >= deadline) {
      truncated = true;
      break;
    }
    const shards = await store.readShards(migration.key, migration.sourceShardCount, newCall());
    for (const { record } of shards) {
      const lease = heldLease(migration, record);
      if (lease !== undefined) findings.push({ migration, lease });
    }
  }
  return { findings: findings.slice(0, maxLeases), truncated: truncated || findings.length > maxLeases };
}

/** A failure shows in its own row and does not stop the other rows. */
async function release(
  deps: ApiDependencies,
  { migration, lease }: Finding,
  { includeActive }: CleanupRequest,
  deadline: number,
): Promise<LeaseRow> {
  if (deps.now() >= deadline) return toRow(lease, false, 'not reached in time: ask again');
  try {
    const refused = await closeLease(deps, migration.key, lease.shard, includeActive, deps.newCall());
    if (refused !== undefined) return toRow(lease, false, refused);
    deps.logger.info('a lease was released by an administrator', {
      event: 'lease_released',
      migration: migration.migrationId,
      shard: lease.shard,
    });
    return toRow(lease, true);
  } catch (error) {
    return toRow(lease, false, error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  }
}

/**
 * Closes the snapshots first and takes them out of the record afterwards, so what is not closed stays recorded.
 * @returns why the lease may not be closed, or is not closed yet; undefined when it is closed, or was gone already
 */
function closeLease(
  { store, cluster, now }: ApiDependencies,
  key: string,
  shard: number,
  includeActive: boolean,
  call: Call,
): Promise<string | undefined> {
  return compareAndSet<string | undefined>(async () => {
    // The list may be a moment old, and the migration may be ending just now.
    const migration = await store.readMigration(key, call);
    const stored = await store.readShard(key, shard, call);
    if (migration === undefined || stored === undefined) return { result: undefined };
    const lease = heldLease(migration.record, stored.record);
    if (lease === undefined) return { result: undefined };
    const refused = refuseRelease(migration.record, includeActive);
    if (refused !== undefined) return { result: refused };
    const left = await cluster.index(migration.record.sourceIndex).snapshots.close(lease.pitIds, call);
    const after = withoutLease(migration.record, stored.record, {
      asked: lease.pitIds,
      left,
      nowMillis: now(),
    });
    const answer = left.length === 0 ? undefined : describeLeft(left);
    return { write: () => store.replaceShard(stored, after, call).then(() => answer) };
  }, maxTries);
}

function describeLeft(left: readonly string[]): string {
  return (
    `${left.length} of its points in time are on nodes that are not in the cluster: ask again when they are back, or ` +
    'leave them to their keep-alive'
  );
}

function toRow(lease: HeldLease, released: boolean, error?: string): LeaseRow {
  return {
    index: lease.index,
    shard: lease.shard,
    lease_id: lease.leaseId,
    source: 'aosc-migration',
    retaining_seq_no: lease.retainingSeqNo,
    released,
    ...(error !== undefined && { error }),
  };
}
