import type { AliasPort } from './alias-port';
import type { ClusterPort } from './cluster-port';
import type { IndexStatePort } from './index-state-port';
import type { SettingsPort } from './settings-port';
import type { TaskPort } from './task-port';
import type { TransformPort } from './transform-port';

/** Administrative calls on source and target. */
export interface AdminPort
  extends
    ClusterPort,
    AliasPort,
    SettingsPort,
    TransformPort,
    Pick<TaskPort, 'listIndexWriteTasks'>,
    Omit<IndexStatePort, 'readRouting' | 'readCheckpoints' | 'getDocuments'> {}
