import type { IndexStatePort } from './index-state-port';
import type { SnapshotPort } from './snapshot-port';
import type { TaskPort } from './task-port';
import type { WritePort } from './write-port';

/** Writes to the target index, and reads of what was written. */
export interface TargetPort
  extends
    WritePort,
    Pick<IndexStatePort, 'getDocuments'>,
    Pick<TaskPort, 'listWriteTasks'>,
    Pick<SnapshotPort, 'openSnapshot' | 'closeSnapshots' | 'readAllHeads'> {}
