export { findFreePorts } from './free-ports';
export { type NodeOptions, type Settings } from './node-config';
export { adminUser, type Security } from './security-config';
export { requireCommand } from './requirements';
export { type Server } from './server';
export { type ServiceProcess, startServiceProcess } from './service-process';
export { type Stack, type StackOptions, startStack } from './stack';
export { waitUntil } from './wait-until';
