import type { ShardRecord } from '@aosc/contract';
import type { WholeDocument } from '../ports/documents';
import type { IndexPorts } from '../ports/index-ports';
import type { Selection } from '../ports/snapshot-port';
import { followPages, readFittingPage } from '../shard/read/fitting-page';
import { readHeadPages } from '../shard/read/pages';
import { Pauses } from '../shard/session/pauses';
import type { Retrying } from '../shard/session/retrying-reads';
import { unrecordedKeepAlive } from '../shard/snapshot/open-on-copy';
import type { VerifyContext } from './context';

const permitPollMs = 1000;
const mostShardsAtOnce = 4;
/** No writer has this epoch, so these reads are not taken for a writer's. */
const noEpoch = 0;

interface PagesRequest {
  readonly pitId: string;
  readonly selection: Selection;
  /** left out: the point in time is the verification's own */
  readonly keepAliveMs?: number;
}

/** Reads for one run of a verification. */
export class VerifyReader {
  readonly retrying: Retrying;

  constructor(
    readonly context: VerifyContext,
    readonly signal: AbortSignal,
    fail: (error: Error) => void,
  ) {
    const { log, migration, pacing, clock } = context;
    this.retrying = {
      context: { log, shard: 0, migration },
      epoch: noEpoch,
      pacing,
      pauses: new Pauses(clock),
      fail,
      signal,
      assertOwned: () => signal.throwIfAborted(),
    };
  }

  get keepAliveMs(): number {
    return unrecordedKeepAlive(this.context.timing);
  }

  /** Shards to read from at once: each takes one thread of its node, and memory for two pages in this process. */
  get shardsAtOnce(): number {
    return Math.min(Math.max(this.context.permits(), 1), mostShardsAtOnce);
  }

  async readShards(): Promise<readonly ShardRecord[]> {
    const { store, migration } = this.context;
    const shards = await store.readShards(migration.key, migration.sourceShardCount, { signal: this.signal });
    return shards.map(({ record }) => record);
  }

  /** All documents of a selection, with their sources, as {@link followPages} gives them. */
  readWhole(index: IndexPorts, { keepAliveMs = this.keepAliveMs, ...from }: PagesRequest) {
    const { pages, pageSizeLimit: limit } = this.context.pacing;
    return followPages<WholeDocument>(async (after) => {
      await this.awaitPermit();
      const request = { ...from, keepAliveMs, ...(after !== undefined && { after }) };
      return readFittingPage(this.retrying, { pages, limit }, (size, call) =>
        index.snapshots.readWhole({ ...request, size }, call),
      );
    });
  }

  readHeads(index: IndexPorts, from: PagesRequest) {
    return readHeadPages(this.retrying, index.snapshots, { ...from, keepAliveMs: this.keepAliveMs });
  }

  private async awaitPermit(): Promise<void> {
    const { clock, permits } = this.context;
    while (permits() === 0) await clock.sleep(permitPollMs, this.signal);
  }
}
