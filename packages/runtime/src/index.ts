export { type Cluster } from './connect';
export { createEngineLog } from './engine-log';
export { openProcess } from './open-process';
export { beginLife, runProcess } from './process-life';
export { checkAll } from './readiness';
export { readPermits } from './settings-watch';
export { systemClock } from './system-clock';
export { Installation } from './installation/installation';
export { type InstallationState, type InstallationWatch } from './installation/watch-installation';
