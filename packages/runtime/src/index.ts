export { type Cluster } from './connect';
export { createEngineLog } from './engine-log';
export { openProcess, runProcess } from './open-process';
export { readPermits } from './settings-watch';
export { stopOnSignal } from './shutdown';
export { systemClock } from './system-clock';
export { Installation } from './installation/installation';
export { type InstallationState, type InstallationWatch } from './installation/watch-installation';
