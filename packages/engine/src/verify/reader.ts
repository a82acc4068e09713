import { createPageSizer } from '@aosc/domain';
import type { Call } from '../ports/call';
import type { DocumentHead, WholeDocument } from '../ports/documents';
import type { IndexPorts } from '../ports/index-ports';
import type { Page, PageRequest, Selection } from '../ports/snapshot-port';
import { fittingPages } from '../shard/read/fitting-page';
import { headsPageSize } from '../shard/read/pages';
import { Pauses } from '../shard/session/pauses';
import type { Retrying } from '../shard/session/retrying-reads';
import { unrecordedKeepAlive } from '../shard/snapshot/open-on-copy';
import type { VerifyContext } from './context';

const permitPollMs = 1000;
/** No writer has this epoch, so these reads are not taken for a writer's. */
const noEpoch = 0;

interface PagesRequest {
  readonly pitId: string;
  readonly selection: Selection;
  /** left out: the point in time is the verification's own */
  readonly keepAliveMs?: number;
}

/** Reads for one run of a verification: one page at a time, so one thread is the most that it takes of a node. */
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

  /** All documents of a selection, with their sources. */
  readWhole(index: IndexPorts, from: PagesRequest) {
    return this.pages(
      { ...from, limit: this.context.pacing.pageSizeLimit },
      (request, call): Promise<Page<WholeDocument>> => index.snapshots.readWhole(request, call),
    );
  }

  readHeads(index: IndexPorts, from: PagesRequest) {
    return this.pages({ ...from, limit: () => headsPageSize }, (request, call): Promise<Page<DocumentHead>> =>
      index.snapshots.readHeads(request, call),
    );
  }

  private pages<D>(
    { limit, keepAliveMs = this.keepAliveMs, ...from }: PagesRequest & { readonly limit: () => number },
    read: (request: PageRequest, call: Call) => Promise<Page<D>>,
  ): AsyncGenerator<readonly D[]> {
    const sizes = { pages: createPageSizer(), limit };
    return fittingPages(this.retrying, sizes, { ...from, keepAliveMs }, read, () => this.awaitPermit());
  }

  private async awaitPermit(): Promise<void> {
    const { clock, permits } = this.context;
    while (permits() === 0) await clock.sleep(permitPollMs, this.signal);
  }
}
