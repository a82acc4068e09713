import { ConfigError, parseEnv } from '@aosc/config';
import { stopOnSignal } from '@aosc/runtime';
import { createLogger } from '@aosc/telemetry';
import { startApiServer } from './server';

/** Ends with code 1 and one message when it can't start, with 0 after SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const config = parseEnv(process.env, 'api');
  const logger = createLogger({ app: 'api', level: config.logLevel });
  const server = await startApiServer(config, logger);
  logger.info(`listening on ${server.scheme}://${server.host}:${server.port}`, { event: 'process_started' });
  stopOnSignal(logger, () => server.close());
}

main().catch((error: unknown) => {
  const told = error instanceof ConfigError ? error.message : error;
  console.error(told);
  process.exitCode = 1;
});
