import { randomUUID } from 'node:crypto';
import { type InstallationRecord, recordSchemaVersion } from '@aosc/contract';
import {
  type InstallationNames,
  installationRenewMs,
  type InstallationVerdict,
  evaluateInstallation,
} from '@aosc/domain';
import { type Call, type Clock, type ClusterPort, type Stored, unlessConflict } from '@aosc/engine';
import type { MarkContent, RedisMark } from '@aosc/queue';
import { UnchangedWatch } from '@aosc/signals';
import type { MigrationStore } from '@aosc/store';

export interface InstallationOptions {
  readonly cluster: Pick<ClusterPort, 'uuid'>;
  readonly store: Pick<MigrationStore, 'readInstallation' | 'replaceInstallation'>;
  readonly mark: RedisMark;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** true: writes the names, and renews them; false: only looks */
  readonly claims: boolean;
}

/** The result of one look: a verdict, or an error of Redis after the cluster was found to be the right one. */
export type Look =
  | { readonly type: 'judged'; readonly verdict: InstallationVerdict }
  | { readonly type: 'redis_away'; readonly error: unknown };

const sides = ['record', 'mark'] as const;

/** A process renews the names when they are this old, unless another process has done it. */
const renewAfterMs = installationRenewMs * 0.8;
/** The most writes in one look. Each brings the state closer to "ours", but other processes may write as well. */
const maxWrites = 8;

/**
 * The names of the installation in `.aosc-migrations` and in Redis, as one process sees them and, if it may, writes
 * them. Every write is a compare-and-set.
 */
export class Installation {
  private readonly watch: UnchangedWatch;
  private context = '';
  private mine: InstallationNames | undefined;
  private firstCluster: string | undefined;

  constructor(private readonly options: InstallationOptions) {
    this.watch = new UnchangedWatch(() => options.clock.monotonic());
  }

  /** What this process works with, or last worked with. */
  get names(): InstallationNames | undefined {
    return this.mine;
  }

  /** @throws ClusterError when OpenSearch can't be reached */
  async look(call: Call): Promise<Look> {
    for (let writes = 0; ; writes++) {
      const seen = await this.judge(call);
      if (seen.type === 'redis_away') return seen;
      const { verdict, record, mark } = seen;
      if (!this.options.claims) return { type: 'judged', verdict };
      const written = writes < maxWrites && (await this.act(verdict, record, mark, call));
      if (!written) return { type: 'judged', verdict };
    }
  }

  private async judge(call: Call) {
    const { cluster, store } = this.options;
    const clusterUuid = await cluster.uuid(call);
    this.firstCluster ??= clusterUuid;
    if (clusterUuid !== this.firstCluster) {
      return { type: 'judged', verdict: otherCluster, record: undefined, mark: undefined } as const;
    }
    const record = await store.readInstallation(call);
    const inRecord = record && namesOf(record.record);
    let mark: MarkContent | undefined;
    try {
      mark = await this.options.mark.read();
    } catch (error) {
      if (inRecord !== undefined && inRecord.clusterUuid !== clusterUuid) {
        // Problems of the cluster show without Redis.
        const side = { names: inRecord, unchangedMs: 0, renewals: 0 };
        const verdict = evaluateInstallation({ clusterUuid, record: side, mark: side, mine: this.mine });
        return { type: 'judged', verdict, record, mark: undefined } as const;
      }
      // Without Redis this process still lives, and no other may take its place.
      if (this.options.claims && record !== undefined && this.holds(inRecord)) {
        await this.renew(record, undefined, call);
      }
      return { type: 'redis_away', error } as const;
    }
    const version = record === undefined ? '' : `${record.primaryTerm}/${record.seqNo}`;
    // Renewals show that an installation lives, and count while these very names stand on both sides.
    const context = JSON.stringify([inRecord, mark?.names]);
    if (context !== this.context) for (const side of sides) this.watch.forget(side);
    this.context = context;
    const see = (side: (typeof sides)[number], names: InstallationNames | undefined, text: string) => {
      const { unchangedMs, changes: renewals } = this.watch.look(side, text);
      return { names, unchangedMs, renewals };
    };
    const verdict = evaluateInstallation({
      clusterUuid,
      record: see('record', inRecord, version),
      mark: see('mark', mark?.names, mark?.text ?? ''),
      mine: this.mine,
    });
    return { type: 'judged', verdict, record, mark } as const;
  }

  /** @returns true when this or another process has written something, so that a new look is due */
  private async act(
    verdict: InstallationVerdict,
    record: Stored<InstallationRecord> | undefined,
    mark: MarkContent | undefined,
    call: Call,
  ): Promise<boolean> {
    switch (verdict.type) {
      case 'create':
        return this.write(undefined, verdict.as ?? (await this.newNames(call)), call);
      case 'take_over': {
        if (record === undefined) return true;
        const redisId = verdict.redisId ?? randomUUID();
        return this.write(record, { ...namesOf(record.record), redisId }, call);
      }
      case 'mark':
        if (record !== undefined) await this.writeMark(mark, namesOf(record.record));
        return true;
      case 'ours':
        if (record === undefined || mark === undefined) return true;
        this.mine = namesOf(record.record);
        await this.renew(record, mark, call);
        return false;
      case 'wait':
      case 'refused':
        return false;
    }
  }

  private async newNames(call: Call): Promise<InstallationNames> {
    const clusterUuid = this.firstCluster ?? (await this.options.cluster.uuid(call));
    return { installationId: randomUUID(), clusterUuid, redisId: randomUUID() };
  }

  private async write(
    before: Stored<InstallationRecord> | undefined,
    names: InstallationNames,
    call: Call,
  ): Promise<boolean> {
    const { store } = this.options;
    const write = () => store.replaceInstallation(before, this.toRecord(names), call);
    if ((await unlessConflict(write)) !== undefined) this.mine = names;
    return true;
  }

  private async renew(
    record: Stored<InstallationRecord>,
    mark: MarkContent | undefined,
    call: Call,
  ): Promise<void> {
    const age = this.options.clock.now() - record.record.renewedAtMillis;
    // The wall clock only saves writes; a record from the future is renewed, too.
    if (age >= 0 && age < renewAfterMs) return;
    const renewed = this.toRecord(namesOf(record.record));
    // On a conflict another process has renewed it.
    await unlessConflict(() => this.options.store.replaceInstallation(record, renewed, call));
    if (mark !== undefined) await this.writeMark(mark, namesOf(record.record));
  }

  private async writeMark(before: MarkContent | undefined, names: InstallationNames): Promise<void> {
    await this.options.mark.replace(before?.text, names, this.options.clock.now());
  }

  private holds(names: InstallationNames | undefined): boolean {
    return (
      names !== undefined &&
      this.mine?.installationId === names.installationId &&
      this.mine.redisId === names.redisId
    );
  }

  private toRecord(names: InstallationNames): InstallationRecord {
    return {
      kind: 'installation',
      schemaVersion: recordSchemaVersion,
      installationId: names.installationId,
      clusterUuid: names.clusterUuid,
      redisId: names.redisId,
      renewedAtMillis: this.options.clock.now(),
    };
  }
}

function namesOf({ installationId, clusterUuid, redisId }: InstallationRecord): InstallationNames {
  return { installationId, clusterUuid, redisId };
}

const otherCluster: InstallationVerdict = {
  type: 'refused',
  fault: 'cluster',
  reason: 'the cluster at this address is another one now: restart the process',
};
