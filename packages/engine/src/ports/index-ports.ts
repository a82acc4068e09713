import type { IndexAliasPort } from './alias-port';
import type { ClusterPort } from './cluster-port';
import type { FilesPort } from './files-port';
import type { IndexStatePort } from './index-state-port';
import type { SettingsPort } from './settings-port';
import type { SnapshotPort } from './snapshot-port';
import type { TaskPort } from './task-port';
import type { WritePort } from './write-port';

/** The ports of one index and its cluster: a call through them names neither of the two. */
export interface IndexPorts {
  readonly index: string;
  readonly cluster: ClusterPort;
  readonly state: IndexStatePort;
  readonly snapshots: SnapshotPort;
  readonly aliases: IndexAliasPort;
  readonly settings: SettingsPort;
  readonly files: FilesPort;
  readonly writes: WritePort;
  readonly tasks: TaskPort;
}

/** One cluster, and the way to its indices. */
export interface ClusterPorts extends ClusterPort {
  /**
   * Makes no request, so there may be no such index.
   * @param name of a concrete index
   * @param uuid of the index that is meant: a change of the index by its name is refused as 'not_found' when the name
   *   is another index's by then, or an alias
   */
  index(name: string, uuid?: string): IndexPorts;
}
