export { createLogger, type Logger } from './logger';
export { createMetrics, type Metrics } from './metrics';
export { type Readiness, type ReadinessCheck, startMetricsServer } from './metrics-server';
