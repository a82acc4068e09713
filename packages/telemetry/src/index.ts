export { type LogEvent, logEvents } from './log-events';
export {
  createLogger,
  type LogContext,
  type LogFields,
  type Logger,
  type LoggerOptions,
  type LogLevel,
} from './logger';
export { type BulkResult, createMetrics, type JobResult, type Metrics, type PhaseCounts } from './metrics';
export {
  type MetricsServer,
  type Readiness,
  type ReadinessCheck,
  startMetricsServer,
} from './metrics-server';
export { serializeError, type SerializedError } from './serialize-error';
