export { findFreePorts } from './free-ports';
export { type NodeOptions, type NodeRole, type Settings, type SettingValue } from './node-config';
export { adminUser, type Security } from './security-config';
export { type Server } from './server';
export { type ServiceProcess, type ServiceProcessOptions, startServiceProcess } from './service-process';
export { type Stack, type StackOptions, startStack } from './stack';
export { defaultOpenSearchVersion } from './versions';
export { waitUntil, type WaitOptions } from './wait-until';
