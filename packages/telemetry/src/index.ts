export { countEvents } from './count-events';
export type { MigrationFigures } from './fleet-gauges';
export { createLogger, type Logger } from './logger';
export { createMetrics, type Metrics } from './metrics';
export { startMetricsServer } from './metrics-server';
export type { Readiness, ReadinessCheck } from './readiness';
export { createRenderer } from './render-metrics';
export { openTraces } from './traces/open-traces';
export { noTraces, type Traces } from './traces/traces';
