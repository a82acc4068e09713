export { type App, apps } from './apps';
export { isLoopback } from './loopback';
export { type AppConfig, ConfigError, parseEnv } from './parse-env';
export { type ReferenceRow, renderReference } from './reference';
export { readTextFile } from './read-text-file';
export {
  type OpenSearchAccess,
  readApiTls,
  readOpenSearchAccess,
  readRedisTls,
  type RedisTls,
} from './tls-files';
export { variables } from './variables';
