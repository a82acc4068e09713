export { hostOf, isLoopback } from './loopback';
export { type AppConfig, ConfigError, findDefaultServers, parseEnv } from './parse-env';
export { readSecretFile, readTextFile } from './read-text-file';
export { type OpenSearchAccess, readApiTls, readOpenSearchAccess, readRedisAccess } from './tls-files';
export { variables } from './variables';
