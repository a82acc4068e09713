import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePorts, startServiceProcess } from '@aosc/local-stack';
import { people, writeCredentials } from '../support/guarded-api';
import { runTool, say, sayLoad } from '../support/long-test';
import { choice, type Values, whole } from '../support/tool-flags';
import { askAsGoodClient, type GoodClientOptions, readLoopTimes, startAttack } from './processes';
import { reportAsks, reportDrops, reportLoop } from './report';

const root = join(__dirname, '../..');
/** Until all connections were tried. */
const warmUpMs = 4_000;

const schemes = ['http', 'tls'] as const;
type Scheme = (typeof schemes)[number];

const flags = {
  seconds: whole('how long the good client asks', 1, 30),
  connections: whole('that the others try to hold; the API holds 2000', 1, 6_000),
  rate: whole('requests a second of the good client', 1, 20),
  scheme: choice('NAME', schemes, 'only this one'),
};
type Options = Values<typeof flags>;

async function run(options: Options) {
  const folder = mkdtempSync(join(tmpdir(), 'aosc-clients-'));
  try {
    let isWrong = false;
    for (const scheme of options.scheme === undefined ? schemes : [options.scheme]) {
      if (!(await measure(scheme, folder, options))) isWrong = true;
    }
    return { isWrong };
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
      AOSC_AUTH_FILE: writeCredentials(folder),
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
        key: `ApiKey ${people.rita.secret}`,
        password: `Basic ${Buffer.from(`ann:${people.ann.secret}`).toString('base64')}`,
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
    sayLoad();
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

runTool({
  name: 'clients',
  about: `Slow, silent and flooding clients at three times the API's limits, and a good client beside them, on plain HTTP and on
TLS. Prints what was offered, dropped and refused, and what the good client saw; ends with 1 where its p99 is 1 s or
more, or a request failed. The others run in processes of their own, of the lowest priority.`,
  flags,
  notes: "Addresses of 127.0.0.0/8 are used as the clients': on Linux only. Mind `ulimit -n`.",
  run,
});
