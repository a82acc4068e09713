import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePorts, startServiceProcess } from '@aosc/local-stack';
import { exitWrong, parseFlags, parseWhole, runTool, say, UsageError } from '../support/long-test';
import { askAsGoodClient, type GoodClientOptions, readLoopTimes, startAttack } from './processes';
import { reportAsks, reportDrops, reportLoop } from './report';

const usage = `npm run clients -- [options]

Slow, silent and flooding clients at three times the API's limits, and a good client beside them, on plain HTTP and on
TLS. Prints what was offered, dropped and refused, and what the good client saw; ends with 1 where its p99 is 1 s or
more, or a request failed. The others run in processes of their own, of the lowest priority.

  --seconds N        how long the good client asks (default 30)
  --connections N    that the others try to hold (default 6000; the API holds 2000)
  --rate N           requests a second of the good client (default 20)
  --scheme NAME      http or tls (default: one after the other)
  --help             show this

Addresses of 127.0.0.0/8 are used as the clients': on Linux only. Mind \`ulimit -n\`.`;

const root = join(__dirname, '../..');
/** Until all connections were tried. */
const warmUpMs = 4_000;
const key = 'k'.repeat(40);
const password = 'a right password';

const schemes = ['http', 'tls'] as const;
type Scheme = (typeof schemes)[number];

interface Options {
  readonly schemes: readonly Scheme[];
  readonly seconds: number;
  readonly connections: number;
  readonly rate: number;
}

function parseOptions(args: readonly string[]) {
  const flags = parseFlags(args, {
    seconds: { type: 'string', default: '30' },
    connections: { type: 'string', default: '6000' },
    rate: { type: 'string', default: '20' },
    scheme: { type: 'string' },
    help: { type: 'boolean', default: false },
  });
  const chosen = schemes.filter((one) => flags.scheme === undefined || one === flags.scheme);
  if (chosen.length === 0) throw new UsageError(`--scheme ${flags.scheme}: expected http or tls`);
  return {
    schemes: chosen,
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
    for (const scheme of options.schemes) verdicts.push(await measure(scheme, folder, options));
    return verdicts.every(Boolean) ? 0 : exitWrong;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @returns whether the good client was served */
async function measure(scheme: Scheme, folder: string, options: Options): Promise<boolean> {
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
      // Nothing listens there, and nothing needs to.
      AOSC_OPENSEARCH_URL: 'http://127.0.0.1:1',
      AOSC_REDIS_URL: 'redis://127.0.0.1:1',
      ...(isSecure && {
        AOSC_API_TLS_CERT: certificate,
        AOSC_API_TLS_KEY: ownKey(folder),
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
    const attacks = [
      startAttack('holders', [String(port), scheme, String(options.connections)]),
      startAttack('guessers', [String(port), scheme]),
    ];
    await sleep(warmUpMs);
    const [before, begin] = [readLoopTimes(api.pid), performance.now()];
    const asks = await askAsGoodClient(client);
    const [after, spanMs] = [readLoopTimes(api.pid), performance.now() - begin];
    for (const attack of attacks) say(`${scheme}: ${attack.name}: ${await attack.end()}`);
    await api.stop();
    reportDrops(scheme, readFileSync(api.logFile, 'utf8'));
    const load = loadavg().map((one) => one.toFixed(1));
    say(`${scheme}: ${availableParallelism()} processors, load ${load.join(' ')}`);
    reportLoop(scheme, before, after, spanMs);
    return reportAsks(scheme, asks);
  } finally {
    await api.stop();
  }
}

async function untilServed(client: GoodClientOptions): Promise<void> {
  for (;;) {
    const asks = await askAsGoodClient({ ...client, authorizations: {}, requestsPerSecond: 5, seconds: 1 });
    if (asks.every(({ result }) => result === 200)) return;
  }
}

/** A copy that only this user can read: the API refuses a key that others may read, like the repository's own. */
function ownKey(folder: string): string {
  const path = join(folder, 'key.pem');
  copyFileSync(join(root, 'tests/certificates/localhost-key.pem'), path);
  chmodSync(path, 0o600);
  return path;
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
    { mode: 0o600 },
  );
  return path;
}

runTool(usage, main);
