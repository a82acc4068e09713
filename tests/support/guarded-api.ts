import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePorts, type ServiceProcess, startServiceProcess } from '@aosc/local-stack';
import type { Environment } from './environment';

const root = join(__dirname, '../..');

/** A credential of each role: a user with a password, and keys. */
export const people = {
  ann: { kind: 'user', secret: 'ann has a long password', roles: ['admin'] },
  olga: { kind: 'api_key', secret: 'o'.repeat(40), roles: ['operate'] },
  rita: { kind: 'api_key', secret: 'r'.repeat(40), roles: ['read'] },
  /** may use the indices of one team, and no scripts */
  tim: { kind: 'api_key', secret: 't'.repeat(40), roles: ['operate'], index_patterns: ['team-*'] },
} as const;
export type Person = keyof typeof people;

export interface GuardedApi {
  readonly url: string;
  /** Ends it and starts it again at the same address: sessions of before count no more. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** An API of its own that asks for credentials, on the servers of an environment. */
export async function startGuardedApi({ stack }: Environment): Promise<GuardedApi> {
  const folder = mkdtempSync(join(tmpdir(), 'aosc-guarded-'));
  const [port = 0] = await findFreePorts(1);
  const path = writeCredentials(folder);
  const start = (): Promise<ServiceProcess> =>
    startServiceProcess({
      name: 'api-with-credentials',
      entry: join(root, 'apps/api/dist/main.js'),
      logDir: stack.logFolder,
      readyUrl: `http://127.0.0.1:${port}/readyz`,
      env: {
        AOSC_API_PORT: String(port),
        AOSC_AUTH_FILE: path,
        AOSC_OPENSEARCH_URL: stack.openSearchUrls.join(','),
        AOSC_REDIS_URL: stack.redisUrl,
      },
    });
  let api = await start();
  return {
    url: `http://127.0.0.1:${port}`,
    async restart() {
      await api.stop();
      api = await start();
    },
    async stop() {
      await api.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A file of credentials with all {@link people}. @returns its path */
export function writeCredentials(folder: string): string {
  const path = join(folder, 'auth.json');
  const entries = Object.entries(people);
  const credentials = {
    users: entries
      .filter(([, { kind }]) => kind === 'user')
      .map(([name, { secret, roles }]) => ({ name, password_hash: hashPassword(secret), roles })),
    api_keys: entries
      .filter(([, { kind }]) => kind === 'api_key')
      .map(([name, { secret, kind: _kind, ...rest }]) => ({ name, key_hash: hashKey(secret), ...rest })),
  };
  writeFileSync(path, JSON.stringify(credentials), { mode: 0o600 });
  return path;
}

const hashKey = (key: string): string => `sha256$${createHash('sha256').update(key).digest('hex')}`;

/** As the project's own script does it. */
function hashPassword(password: string): string {
  const script = join(root, 'scripts/hash-credential.mjs');
  return execFileSync(process.execPath, [script, 'password'], { input: password, encoding: 'utf8' }).trim();
}
