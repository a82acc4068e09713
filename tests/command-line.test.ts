import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createParser } from '@aosc/contract';
import {
  callJson,
  createRandom,
  createSourceIndex,
  createTargetIndex,
  loadDocuments,
  makeDocument,
} from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { quote } from '../apps/cli/src/request/curl';
import { type Environment, startEnvironment } from './support/environment';
import { commandRedis } from './support/redis';

jest.setTimeout(600_000);

const main = join(__dirname, '../apps/cli/dist/main.js');
let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment();
});
afterAll(() => environment.stop());

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const variables = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  AOSC_CONFIG: join(environment.stack.logFolder, 'no-config.json'),
  AOSC_API_URL: environment.apiUrl,
  AOSC_OPENSEARCH_URL: environment.stack.openSearchUrls.join(),
  AOSC_REDIS_URL: environment.stack.redisUrl,
});

function execute(file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { env: { ...variables(), ...env }, maxBuffer: 64 * 1024 * 1024 };
    const child = execFile(file, args, options, (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

/** The built command, with its streams in pipes. */
const aosc = (args: readonly string[], env?: NodeJS.ProcessEnv) =>
  execute(process.execPath, [main, ...args], env);

/** The same on a pseudo-terminal of 100 columns and 30 rows. */
function aoscOnTerminal(args: readonly string[]): Promise<Ended> {
  const command = [process.execPath, main, ...args].map(quote).join(' ');
  return execute('script', ['-qec', `stty cols 100 rows 30; ${command}`, '/dev/null'], { TERM: 'xterm' });
}

async function prepare(alias: string, documents: number) {
  const { http } = environment;
  const [source, target] = [`${alias}-v1`, `${alias}-v2`];
  await createSourceIndex(http, { name: source, shards: 2, alias });
  await createTargetIndex(http, { name: target, shards: 4 });
  const random = createRandom(5);
  const loaded = Array.from({ length: documents }, (_, n) => ({
    id: `d${n}`,
    source: makeDocument(random, { id: `d${n}`, revision: 0 }).replace(/\r?\n/g, ' '),
  }));
  await loadDocuments(http, alias, loaded);
  return { alias, source, target };
}

const parseFindings = createParser(
  'findings',
  Type.Array(
    Type.Object({ area: Type.String(), check: Type.String(), level: Type.String(), text: Type.String() }),
  ),
);
const parsePhase = createParser('status', Type.Object({ phase: Type.String() }));

async function examine(args: readonly string[], env?: NodeJS.ProcessEnv) {
  const { code, out } = await aosc(['doctor', '--json', ...args], env);
  return { code, findings: parseFindings(JSON.parse(out)) };
}

test('start --watch into a pipe prints steps, and ends with the migration', async () => {
  const { source, target, alias } = await prepare('cli-piped', 2_000);
  const { code, out, err } = await aosc([
    'start',
    source,
    target,
    '--alias',
    alias,
    '--watch',
    '--interval',
    '100ms',
  ]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const [id = '', ...lines] = out.trim().split('\n');
  expect(id.startsWith(`${source}__${target}__`)).toBe(true);
  const end = lines.findIndex((line) => / COMPLETED /.test(line));
  expect(lines[end]).toMatch(/^\d{4}-\S+Z COMPLETED \[.*\] copied=2000\/2000 /);
  expect(out).not.toContain('\u001b');
  // The report ends with what the cluster has now.
  const report = lines.slice(end + 2);
  expect(report[0]).toMatch(new RegExp(`^COMPLETED: ${source} -> ${target}, in `));
  expect(report).toContain(`${alias} was moved from ${source} to ${target}`);
  expect(report).toContain('counted 2,000 documents in the source and 2,000 in the target');
  expect(
    report.some((line) =>
      /^writes (waited for \d+\.\d\d s, then )?were refused for at most \d+\.\d\d s$/.test(line),
    ),
  ).toBe(true);
  const at = report.findIndex((line) => line.startsWith('In the cluster at '));
  expect(report.slice(at + 1, at + 4).map((line) => line.trim().split(/ {2,}/))).toEqual([
    [alias, `on ${target}`],
    [source, '2,000 searchable documents, takes no writes (the write block of this migration)'],
    [target, '2,000 searchable documents, takes writes'],
  ]);
  // A command of the report does what its sentence says.
  const lift = report.find((line) => line.includes('index.blocks.write')) ?? '';
  const [address = ''] = environment.stack.openSearchUrls;
  expect((await execute('sh', ['-c', lift], { AOSC_OPENSEARCH_URL: address })).out).toContain(
    '"acknowledged":true',
  );
  await callJson(environment.http, (value) => value, 'PUT', `/${source}/_doc/after`, { a: 1 });
  // What can be asked about it afterwards.
  const status = await aosc(['status', source, '--json']);
  expect(parsePhase(JSON.parse(status.out)).phase).toBe('COMPLETED');
  expect((await aosc(['list', '--phase', 'COMPLETED'])).out).toContain(source);
  expect(await aosc(['wait', source])).toEqual({ code: 0, out: 'COMPLETED\n', err: '' });
  expect((await aosc(['wait', source, '--for', 'CANCELLED'])).code).toBe(7);
  expect((await aosc(['cancel', source, '--yes'])).code).toBe(3);
  expect((await aosc(['cancel', source, '--dry-run'])).code).toBe(3);
  expect((await aosc(['cancel', source])).code).toBe(3);
});

test('describe, events and completion know the migration', async () => {
  const { source, target, alias } = await prepare('cli-looks', 500);
  await aosc(['start', source, target, '--alias', alias, '--wait', '--interval', '100ms']);
  const described = await aosc(['describe', source]);
  expect(described).toMatchObject({ code: 0, err: '' });
  expect(described.out).toMatch(/Phases:\n {2}\d{4}-\S+Z {2}ACTIVE /);
  expect(described.out).toContain('Report:\n  COMPLETED: ');
  expect((await aosc(['describe', source, '--shard', '1'])).out).toContain(`1 of ${source}`);
  expect((await aosc(['describe', source, '-o', 'yaml'])).out).toMatch(
    /^status:\n {2}migration_id: cli-looks/,
  );
  const { code, out } = await aosc(['events', source]);
  expect([code, out.includes(`${source} -> ${target} COMPLETED`)]).toEqual([0, true]);
  expect((await aosc(['__complete', '--', 'status', 'cli-looks'])).out.split('\n')).toContain(`${source}\t`);
});

test('a cancelled migration shows how far it came, here and at an API that was started later', async () => {
  const { source, target, alias } = await prepare('cli-cancelled', 2_000);
  await aosc(['settings', 'set', 'aosc.backfill.max_concurrent_per_node=0']);
  try {
    await aosc(['start', source, target, '--alias', alias]);
    expect((await aosc(['cancel', source])).code).toBe(2);
    expect((await aosc(['cancel', source, '--dry-run'])).out).toContain(
      `would cancel this migration: ${source} -> ${target} is ACTIVE`,
    );
    expect(await aosc(['cancel', source, '--yes', '--wait'])).toMatchObject({ code: 0, out: 'CANCELLED\n' });
  } finally {
    await aosc(['settings', 'set', 'aosc.backfill.max_concurrent_per_node=null']);
  }
  const { out } = await aosc(['status', source]);
  expect(out).toContain('[CANCELLED]');
  expect(out).not.toMatch(/100%| left/);
});

test('a dry run of a start reports every refusal, and starts nothing', async () => {
  const { source, target, alias } = await prepare('cli-checked', 10);
  const good = await aosc(['start', source, target, '--alias', alias, '--accept-data-loss', '--dry-run']);
  expect(good).toEqual({
    code: 0,
    out: `would copy ${source} -> ${target} (SPLIT_SHARD), and move ${alias}\n`,
    err: '',
  });
  const bad = await aosc(['start', source, 'cli-nowhere', '--alias', 'cli-chekced', '--dry-run']);
  expect([bad.code, bad.err.match(/^- /gm)?.length]).toEqual([3, 2]);
  expect((await aosc(['status', source])).code).toBe(4);
});

test('create-target shows what it would create, creates it, and does not touch an index that exists', async () => {
  const { source } = await prepare('cli-created', 10);
  const args = ['create-target', source, 'cli-created-v3', '--shards', '8'];
  const shown = await aosc([...args, '--dry-run']);
  expect(shown).toMatchObject({ code: 0, err: '' });
  expect(shown.out).toContain('would create cli-created-v3 from cli-created-v1\nrouting: SPLIT_SHARD\n');
  expect(shown.out).toMatch(/number_of_shards +"2" -> "8"/);
  const created = await aosc(args);
  expect(created).toMatchObject({ code: 0, err: '' });
  expect(created.out).toContain('created cli-created-v3 from cli-created-v1\n');
  const again = await aosc(args);
  expect(again.code).not.toBe(0);
  expect(again.err).toContain('cli-created-v3');
});

test('start --watch on a terminal draws in place', async () => {
  const { source, target, alias } = await prepare('cli-drawn', 2_000);
  const { code, out } = await aoscOnTerminal([
    'start',
    source,
    target,
    '--alias',
    alias,
    '--watch',
    '--interval',
    '100ms',
  ]);
  expect(code).toBe(0);
  expect(out).toContain('\u001b[?25l');
  expect(out.split('\u001b[').some((part) => /^\d+A/.test(part))).toBe(true);
  expect(out).toContain('completing [COMPLETED]');
  expect(out).toMatch(/shard {3}1 \[#{20}\] 100%/);
  // The report follows on the screen that has its cursor again.
  expect(out.lastIndexOf('\u001b[?25h')).toBeGreaterThan(out.lastIndexOf('\u001b[?25l'));
});

test('a request that was shown can be sent by a shell', async () => {
  const shown = await aosc(['list', '--size', '1', '--print-request']);
  const sent = await execute('sh', ['-c', `${shown.out.trim()} -s`]);
  const listed = await aosc(['list', '--size', '1', '--json']);
  expect(Object.keys(JSON.parse(sent.out) as object)).toEqual(Object.keys(JSON.parse(listed.out) as object));
});

test('an alias as source, and one that is on two indices, are reported with the indices', async () => {
  const { source, target, alias } = await prepare('cli-named', 1);
  await createSourceIndex(environment.http, { name: 'cli-named-other', shards: 1, alias });
  const asSource = await aosc(['start', alias, target, '--alias', alias]);
  expect([asSource.code, asSource.err]).toEqual([
    3,
    expect.stringContaining(`${alias} is an alias of cli-named-other, ${source}; name the index itself`),
  ]);
  const twice = await aosc(['start', source, target, '--alias', alias]);
  expect([twice.code, twice.err]).toEqual([3, expect.stringContaining('It is on [cli-named-other]')]);
});

test('a source without a migration, and an API that is away', async () => {
  expect((await aosc(['status', 'nothing-here'])).code).toBe(4);
  expect((await aosc(['cancel', 'a', '--yes'], { AOSC_API_URL: 'http://127.0.0.1:1' })).code).toBe(5);
});

test('settings: a profile, its difference, and back to the defaults', async () => {
  expect((await aosc(['settings', 'profile', 'offline'])).code).toBe(0);
  expect((await aosc(['settings', 'diff', 'offline'])).out).toBe('no difference to offline\n');
  const size = 'aosc.backfill.controller.batch.size';
  expect((await aosc(['settings', 'get', size])).out).toBe(`${size}  5000  persistent\n`);
  expect(
    (await aosc(['settings', 'set', 'aosc.backfill.*=null', 'aosc.replay.*=null', 'aosc.defaults.*=null']))
      .code,
  ).toBe(0);
  expect((await aosc(['settings', 'diff'])).out).toBe('no difference to the defaults\n');
});

test('nothing is left to release or to clear', async () => {
  expect((await aosc(['leases'])).out).toBe('no leases\n');
  expect((await aosc(['clear-state', '--yes'])).out).toBe('nothing to clear\n');
});

describe('doctor', () => {
  test('sends too many requests to print one', async () => {
    expect((await aosc(['doctor', '--print-request'])).code).toBe(2);
  });

  test('a target that a migration would wait for in vain, and an alias as source', async () => {
    const { source, target, alias } = await prepare('cli-vain', 1);
    await callJson(environment.http, (value) => value, 'PUT', `/${target}/_settings`, {
      'index.number_of_replicas': 9,
    });
    const planned = (from: string) =>
      examine(['--api-only', '--source', from, '--target', target, '--alias', alias]);
    const vain = await planned(source);
    expect(vain.findings).toContainEqual(
      expect.objectContaining({
        check: 'plan',
        level: 'warn',
        text: expect.stringContaining('target.copies: ') as string,
      }),
    );
    const block = (value: true | null) =>
      callJson(environment.http, (answer) => answer, 'PUT', `/${source},${target}/_settings`, {
        'index.blocks.read_only': value,
      });
    await block(true);
    const blocked = await planned(source);
    await block(null);
    expect(blocked.findings.map(({ text }) => text)).toContainEqual(
      expect.stringContaining(`source index [${source}] is blocked by [index.blocks.read_only]`),
    );
    const { code, findings } = await planned(alias);
    expect(code).toBe(9);
    expect(findings.map(({ text }) => text)).toContainEqual(expect.stringContaining(`[${alias}] not found`));
  });

  test('finds nothing that fails in a healthy installation, but an alias that no index has', async () => {
    const { source, target, alias } = await prepare('cli-doctor', 10);
    const { code, findings } = await examine(['--source', source, '--target', target, '--alias', alias]);
    expect(findings.filter(({ level }) => level === 'fail')).toEqual([]);
    expect(code).toBe(0);
    expect(new Set(findings.map(({ area }) => area))).toEqual(new Set(['api', 'opensearch', 'redis']));
    const { out, err } = await aosc(['doctor', '--source', source, '--target', 'nowhere', '--alias', 'none']);
    expect(out).toMatch(/^2 failed, /m);
    expect(out).toContain('target.index: target index [nowhere] not found');
    expect(out).toContain('alias.on_source: ');
    expect(err).toBe('');
  });

  test('a service without a worker and a scheduler, whose servers are fine', async () => {
    for (const each of [...environment.workers(), ...environment.service.schedulers]) await each.stop();
    try {
      const { code, findings } = await examine([]);
      expect(code).toBe(9);
      const failed = findings.filter(({ level }) => level === 'fail');
      expect(failed.map(({ check }) => check)).toEqual(['workers', 'schedulers']);
      expect(failed.map(({ text }) => text)).toEqual([
        'no worker takes jobs: nothing is copied until one does',
        'no scheduler takes jobs: no migration goes on until one does',
      ]);
      expect((await aosc(['doctor'])).out).toContain('-> Start one (npm run worker, or its container)');
      expect((await examine(['--servers-only'])).code).toBe(0);
    } finally {
      await environment.restore(1);
    }
  });

  test('a Redis that may evict keys', async () => {
    const { redisUrl } = environment.stack;
    await commandRedis(redisUrl, ['CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru']);
    try {
      const { code, findings } = await examine(['--servers-only']);
      expect(code).toBe(9);
      expect(findings).toContainEqual(
        expect.objectContaining({
          area: 'redis',
          check: 'policy',
          level: 'fail',
          text: expect.stringContaining('allkeys-lru') as unknown,
        }),
      );
    } finally {
      await commandRedis(redisUrl, ['CONFIG', 'SET', 'maxmemory-policy', 'noeviction']);
    }
  });

  test('a template that takes every name, a cluster without allocation', async () => {
    const { http } = environment;
    const accept = (value: unknown): unknown => value;
    const allocate = (value: string | null) =>
      callJson(http, accept, 'PUT', '/_cluster/settings', {
        transient: { 'cluster.routing.allocation.enable': value },
      });
    await callJson(http, accept, 'PUT', '/_index_template/cli-trap', {
      index_patterns: ['*'],
      template: { settings: { 'index.final_pipeline': 'stamp' } },
    });
    await allocate('none');
    try {
      const { findings } = await examine(['--servers-only']);
      const warned = findings.filter(({ level }) => level === 'warn').map(({ check }) => check);
      expect(warned).toEqual(expect.arrayContaining(['templates', 'blocks']));
    } finally {
      await allocate(null);
      await callJson(http, accept, 'DELETE', '/_index_template/cli-trap');
    }
  });

  test('servers that are away, and a wrong environment, are findings as well', async () => {
    const away = { AOSC_OPENSEARCH_URL: 'http://127.0.0.1:1', AOSC_REDIS_URL: 'redis://127.0.0.1:1' };
    const { code, findings } = await examine([], away);
    expect(code).toBe(9);
    const failed = findings.filter(({ level }) => level === 'fail').map(({ area }) => area);
    expect(failed).toEqual(['opensearch', 'redis']);
    expect((await examine([], { AOSC_REDIS_URI: 'x' })).findings[0]).toMatchObject({
      area: 'environment',
      level: 'fail',
    });
  });
});

test('a worker says which servers it takes, and in one line which one is away', async () => {
  const worker = spawn(process.execPath, [join(__dirname, '../apps/worker/dist/main.js')], {
    env: { PATH: process.env['PATH'], AOSC_OPENSEARCH_URL: 'http://user:secret@127.0.0.1:1' },
  });
  let out = '';
  const lines = () => out.split('\n').filter((line) => line !== '');
  try {
    await new Promise<void>((resolve) => {
      worker.stdout.on('data', (chunk: Buffer) => {
        out += chunk.toString();
        // Its second try.
        if (lines().length >= 3) resolve();
      });
    });
  } finally {
    worker.kill('SIGTERM');
  }
  const messages = lines().map((line) => (JSON.parse(line) as { message: string }).message);
  expect(messages.slice(0, 3)).toEqual([
    'AOSC_REDIS_URL is not set: redis://127.0.0.1:6379 is used',
    expect.stringMatching(/^OpenSearch does not answer at http:\/\/127\.0\.0\.1:1: .*Trying again in 1 s\. /),
    expect.stringContaining('Trying again in 2 s. '),
  ]);
  expect(out).not.toMatch(/stack|secret|node_modules/);
});
