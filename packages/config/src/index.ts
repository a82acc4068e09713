export { type App, apps } from './apps';
export { isLoopback } from './loopback';
export { type AppConfig, ConfigError, parseEnv } from './parse-env';
export { type ReferenceRow, renderReference } from './reference';
