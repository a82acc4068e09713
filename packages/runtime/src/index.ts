export { type Cluster, connectCluster } from './connect';
export { createEngineLog } from './engine-log';
export { openProcess, runProcess, type ServiceProcess } from './open-process';
export { readPermits, type SettingsWatch, watchSettings } from './settings-watch';
export { stopOnSignal } from './shutdown';
export { createReadiness } from './readiness';
export { systemClock } from './system-clock';
export { Installation } from './installation/installation';
export {
  InstallationRefusedError,
  type InstallationState,
  type InstallationWatch,
  watchInstallation,
} from './installation/watch-installation';
export { workWhileOurs } from './installation/work-while-ours';
