export { countEvents } from './count-events';
export type { MigrationFigures } from './fleet-gauges';
export { createLogger, type Logger } from './logger';
export { createMetrics, type Metrics } from './metrics';
export { type Readiness, type ReadinessCheck, startMetricsServer } from './metrics-server';
export { createRenderer } from './render-metrics';
