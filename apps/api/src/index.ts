export { createApp } from './app';
export type { ApiDependencies, Waker } from './dependencies';
export { type ApiServer, startApiServer } from './server';
export { toStatusDocument } from './status/status-document';
