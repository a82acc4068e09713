import { parseEnv } from '@aosc/config';
import { beginLife, runProcess } from '@aosc/runtime';
import { startApiServer } from './server';

async function main(): Promise<void> {
  const config = parseEnv(process.env, 'api');
  const { logger, onClose, logStarted } = beginLife('api', config);
  const server = await startApiServer(config, logger);
  onClose(() => server.close());
  logStarted(`listening on ${server.scheme}://${server.host}:${server.port}`);
}

runProcess(main);
