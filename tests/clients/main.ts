import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePorts, startServiceProcess } from '@aosc/local-stack';
import { exitWrong, parseFlags, parseWhole, runTool, say } from '../support/long-test';
import { type Ask, askAsGoodClient } from './good-client';

const usage = `npm run clients -- [options]

Slow, silent and flooding clients at three times the API's limits, and a good client beside them, on plain HTTP and on
TLS. Prints what the good client saw; ends with 1 where its p99 is 1 s or more, or a request got no answer.

  --seconds N        how long the good client asks (default 30)
  --connections N    that the others try to hold (default 6000; the API holds 2000)
  --rate N           requests a second of the good client (default 20)
  --help             show this

Addresses of 127.0.0.0/8 are used as the clients': on Linux only. Mind \`ulimit -n\`.`;

const root = join(__dirname, '../..');
const goalP99Ms = 1_000;
/** Until all connections were tried. */
const warmUpMs = 4_000;
const key = 'k'.repeat(40);
const password = 'a right password';

interface Options {
  readonly seconds: number;
  readonly connections: number;
  readonly rate: number;
}

function parseOptions(args: readonly string[]) {
  const flags = parseFlags(args, {
    seconds: { type: 'string', default: '30' },
    connections: { type: 'string', default: '6000' },
    rate: { type: 'string', default: '20' },
    help: { type: 'boolean', default: false },
  });
  return {
    seconds: parseWhole('--seconds', flags.seconds, 1),
    connections: parseWhole('--connections', flags.connections, 1),
    rate: parseWhole('--rate', flags.rate, 1),
    help: flags.help,
  };
}

async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  if (options.help) {
    say(usage);
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), 'aosc-clients-'));
  try {
    const verdicts = [];
    for (const scheme of ['http', 'tls'] as const) verdicts.push(await measure(scheme, folder, options));
    return verdicts.every(Boolean) ? 0 : exitWrong;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @returns whether the good client was served */
async function measure(scheme: 'http' | 'tls', folder: string, options: Options): Promise<boolean> {
  const certificate = join(root, 'tests/certificates/localhost.pem');
  const [port = 0] = await findFreePorts(1);
  const isSecure = scheme === 'tls';
  const api = await startServiceProcess({
    name: `api-${scheme}`,
    entry: join(root, 'apps/api/dist/main.js'),
    logDir: folder,
    env: {
      AOSC_API_PORT: String(port),
      AOSC_AUTH_FILE: await writeCredentials(folder),
      AOSC_AUDIT_LOG: join(folder, 'audit.jsonl'),
      // Nobody is there, and nobody is needed.
      AOSC_OPENSEARCH_URL: 'http://127.0.0.1:1',
      AOSC_REDIS_URL: 'redis://127.0.0.1:1',
      ...(isSecure && {
        AOSC_API_TLS_CERT: certificate,
        AOSC_API_TLS_KEY: join(root, 'tests/certificates/localhost-key.pem'),
      }),
    },
  });
  try {
    const client = {
      port,
      isSecure,
      ca: readFileSync(certificate, 'utf8'),
      authorizations: {
        key: `ApiKey ${key}`,
        password: `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`,
      },
      requestsPerSecond: options.rate,
      seconds: options.seconds,
    };
    await untilServed(client);
    const attack = spawn(
      process.execPath,
      [join(__dirname, 'attack.mjs'), String(port), scheme, String(options.connections)],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    const printed = text(attack.stdout);
    await sleep(warmUpMs);
    const asks = await askAsGoodClient(client);
    attack.stdin.end();
    await once(attack, 'exit');
    say(`${scheme}: the others ${(await printed).trim()}`);
    return report(scheme, asks);
  } finally {
    await api.stop();
    const dropped = readFileSync(api.logFile, 'utf8')
      .split('\n')
      .filter((line) => line.includes('connections_dropped'));
    for (const line of dropped) say(`${scheme}: log: ${line}`);
  }
}

async function untilServed(client: Parameters<typeof askAsGoodClient>[0]): Promise<void> {
  for (;;) {
    const asks = await askAsGoodClient({ ...client, authorizations: {}, requestsPerSecond: 5, seconds: 1 });
    if (asks.every(({ status }) => status === 200)) return;
  }
}

function report(scheme: string, asks: readonly Ask[]): boolean {
  const kinds = [...new Set(asks.map(({ kind }) => kind))].sort();
  for (const kind of [undefined, ...kinds]) {
    const chosen = asks.filter((one) => kind === undefined || one.kind === kind);
    const times = chosen.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b);
    const at = (share: number) => (times[Math.ceil(share * times.length) - 1] ?? NaN).toFixed(0);
    const failed = chosen.filter(({ status }) => status !== 200).length;
    say(
      `${scheme}: ${kind ?? 'all'}: ${chosen.length} requests, ${failed} not served, ` +
        `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`,
    );
  }
  const times = asks.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b);
  const p99 = times[Math.ceil(0.99 * times.length) - 1] ?? Infinity;
  return p99 < goalP99Ms && asks.every(({ status }) => status === 200);
}

/** A password is hashed as the project's script does it: its check costs what it costs. */
async function writeCredentials(folder: string): Promise<string> {
  const hashing = spawn(process.execPath, [join(root, 'scripts/hash-credential.mjs'), 'password'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  hashing.stdin.end(password);
  const passwordHash = (await text(hashing.stdout)).trim();
  const keyHash = `sha256$${createHash('sha256').update(key).digest('hex')}`;
  const path = join(folder, 'auth.json');
  writeFileSync(
    path,
    JSON.stringify({
      users: [{ name: 'ann', password_hash: passwordHash, roles: ['read'] }],
      api_keys: [{ name: 'bot', key_hash: keyHash, roles: ['read'] }],
    }),
  );
  return path;
}

runTool(usage, main);
