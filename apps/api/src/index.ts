export { startApiServer } from './server';
export { toStatusDocument } from './status/status-document';
