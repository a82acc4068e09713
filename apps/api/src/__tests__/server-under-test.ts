import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { parseEnv } from '@aosc/config';
import { createLogger } from '@aosc/telemetry';
import { type ApiServer, startApiServer } from '../server';

const certificates = join(__dirname, '../../../../tests/certificates');
export const certificate = join(certificates, 'localhost.pem');
/** Of the repository, where everybody may read it: a server takes {@link useServers}'s copy. */
export const certificateKey = join(certificates, 'localhost-key.pem');
export const renewedCertificate = join(certificates, 'renewed.pem');
export const renewedKey = join(certificates, 'renewed-key.pem');

export interface ServerUnderTest {
  readonly server: ApiServer;
  readonly url: string;
  /** the log, and the audit log unless it has a file */
  readonly log: PassThrough;
}

/** Servers of one test file, and a folder for their files; all of them are gone after it. */
export function useServers() {
  const folder = mkdtempSync(join(tmpdir(), 'aosc-api-'));
  const running: ApiServer[] = [];
  afterEach(() => Promise.all(running.splice(0).map((server) => server.close())));
  afterAll(() => rmSync(folder, { recursive: true }));
  const inFolder = (name: string): string => join(folder, name);
  const key = inFolder('localhost-key.pem');
  copyFileSync(certificateKey, key);
  chmodSync(key, 0o600);

  return {
    inFolder,
    /** readable only by the test's own user, as files with secrets have to be */
    write: (name: string, content: string): string => {
      writeFileSync(inFolder(name), content, { mode: 0o600 });
      return inFolder(name);
    },
    key,
    /** The whole server, with nothing at the addresses of OpenSearch and Redis. */
    start: async (env: Record<string, string>): Promise<ServerUnderTest> => {
      const nobody = { AOSC_OPENSEARCH_URL: 'http://127.0.0.1:1', AOSC_REDIS_URL: 'redis://127.0.0.1:1' };
      const config = { ...parseEnv({ ...nobody, ...env }, 'api'), apiPort: 0 };
      const log = new PassThrough({ highWaterMark: 2 ** 20 });
      const logger = createLogger({ app: 'api', level: config.logLevel, stream: log });
      const server = await startApiServer(config, logger, { reloadEveryMs: 10, auditStream: log });
      running.push(server);
      return { server, url: `${server.scheme}://127.0.0.1:${server.port}`, log };
    },
  };
}
