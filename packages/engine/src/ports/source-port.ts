import type { IndexStatePort } from './index-state-port';
import type { SnapshotPort } from './snapshot-port';

/** Reads of the source index. */
export interface SourcePort
  extends
    Omit<SnapshotPort, 'readAllHeads'>,
    Pick<IndexStatePort, 'readRouting' | 'readCheckpoints' | 'refresh' | 'flush' | 'getDocuments'> {}
