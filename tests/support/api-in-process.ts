import { PassThrough } from 'node:stream';
import { startApiServer } from '@aosc/api';
import { parseEnv } from '@aosc/config';
import { createLogger } from '@aosc/telemetry';

/** Runs `use` with an API in this process, on a port of its own, whose log goes nowhere. */
export async function withApi<T>(
  env: Readonly<Record<string, string>>,
  use: (apiUrl: string) => Promise<T>,
): Promise<T> {
  const silent = () => new PassThrough().resume();
  const logger = createLogger({ app: 'api', level: 'error', stream: silent() });
  const config = { ...parseEnv(env, 'api'), apiPort: 0 };
  const server = await startApiServer(config, logger, { auditStream: silent() });
  try {
    return await use(`http://${server.host}:${server.port}`);
  } finally {
    await server.close();
  }
}
