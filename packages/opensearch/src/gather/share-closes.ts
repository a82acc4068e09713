import type { Call } from '@aosc/engine';
import { closeSnapshots } from '../calls/close-snapshots';
import type { OpenSearchClient } from '../client/types';
import { type Attribution, gather } from './gather';

/** Ids of points in time have a few hundred letters, and those who close many at once are few. */
const limits = { maxUnderWay: 1, longestWaitMs: 50, maxTogether: 32 } as const;

/** Closes points in time. @returns those that are not known to be closed */
export type CloseSnapshots = (pitIds: readonly string[], call: Call) => Promise<readonly string[]>;

/** Lets the shards of a process close what they leave behind in one request. */
export function shareCloses(client: OpenSearchClient, attribution: Attribution): CloseSnapshots {
  return gather<readonly string[], readonly string[]>(attribution, limits, async (lists, signal) => {
    const left = new Set(await closeSnapshots(client, [...new Set(lists.flat())], { signal }));
    return lists.map((pitIds) => pitIds.filter((id) => left.has(id)));
  });
}
