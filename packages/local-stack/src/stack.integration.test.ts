import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fetchDistribution } from './fetch-distribution';
import { chooseRunAs } from './run-as';
import { startServiceProcess } from './service-process';
import { type Stack, startStack } from './stack';
import { defaultOpenSearchVersion } from './versions';
import { waitUntil } from './wait-until';

jest.setTimeout(600_000);

/** Built, because it runs in processes of their own, which must die in every way a process can. */
const built = join(__dirname, '../dist');

interface Health {
  readonly status: string;
  readonly number_of_nodes: number;
}

function isHealth(body: unknown): body is Health {
  return typeof body === 'object' && body !== null && 'status' in body && 'number_of_nodes' in body;
}

async function readHealth(url: string): Promise<Health> {
  const body: unknown = await (await fetch(`${url}/_cluster/health`)).json();
  if (!isHealth(body)) throw new Error(`not a health answer: ${JSON.stringify(body)}`);
  return body;
}

function processTable(): readonly { pid: number; parent: number; command: string }[] {
  const listing = execFileSync('ps', ['-eww', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  return listing
    .trim()
    .split('\n')
    .map((line) => {
      const [pid, parent, ...command] = line.trim().split(/\s+/);
      return { pid: Number(pid), parent: Number(parent), command: command.join(' ') };
    });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function waitUntilGone(pids: readonly number[], folder: string): Promise<void> {
  const isGone = () =>
    !pids.some(isAlive) &&
    !existsSync(folder) &&
    !processTable().some(({ command }) => command.includes(folder));
  await waitUntil(() => Promise.resolve(isGone()), {
    what: `the end of ${pids.join(', ')} and of ${folder}`,
    timeoutMs: 30_000,
    endedBy: [],
  });
}

describe('two nodes and Redis', () => {
  let stack: Stack;
  beforeAll(async () => {
    // a manager that waits for a third node recovers its state long after the two have found each other
    const lateState = { 'gateway.expected_data_nodes': 3, 'gateway.recover_after_time': '3s' };
    stack = await startStack({ nodes: 2, heapMb: 512, openSearchSettings: lateState });
  });
  afterAll(() => stack.stop());

  test('form one cluster of 3.8.0, and have recovered its state', async () => {
    expect(stack.openSearchUrls).toHaveLength(2);
    for (const url of stack.openSearchUrls) {
      expect(await readHealth(url)).toMatchObject({ status: 'green', number_of_nodes: 2 });
    }
    const versions = await (await fetch(`${stack.openSearchUrls[0]}/_cat/nodes?h=version`)).text();
    expect(versions.trim().split(/\s+/)).toEqual(['3.8.0', '3.8.0']);
  });

  test('Redis never evicts', () => {
    const port = new URL(stack.redisUrl).port;
    const reply = execFileSync('redis-cli', ['-p', port, 'config', 'get', 'maxmemory-policy'], {
      encoding: 'utf8',
    });
    expect(reply).toContain('noeviction');
  });

  test('a killed node comes back with its data', async () => {
    const [first, second] = stack.nodes;
    if (first === undefined || second === undefined) throw new Error('two nodes were asked for');
    const document = `${second.url}/local-stack-restart/_doc/1?refresh=true`;
    await fetch(document, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"kept":true}',
    });
    await second.kill();
    expect(second.isRunning()).toBe(false);
    await second.restart();
    expect(await readHealth(first.url)).toMatchObject({ number_of_nodes: 2 });
    await waitUntil(async () => (await fetch(document.split('?')[0] ?? '')).ok, {
      what: 'the document',
      timeoutMs: 60_000,
      endedBy: [],
    });
  });

  test('a paused Redis answers again when it goes on', async () => {
    const port = new URL(stack.redisUrl).port;
    const ping = ['-p', port, 'ping'];
    stack.redis.pause();
    const waiting = spawn('redis-cli', ping, { stdio: ['ignore', 'pipe', 'ignore'] });
    const state = () =>
      execFileSync('ps', ['-o', 'state=', '-p', String(stack.redis.pid)], { encoding: 'utf8' });
    expect(state().trim()).toBe('T');
    stack.redis.resume();
    const [answer] = (await once(waiting.stdout, 'data')) as unknown[];
    expect(String(answer).trim()).toBe('PONG');
  });

  test('a node that cannot start shows its log, which is kept', async () => {
    const error = await startStack({ redis: false, openSearchSettings: { 'no.such.setting': 1 } }).then(
      () => new Error('it started'),
      (reason: unknown) => (reason instanceof Error ? reason : new Error(String(reason))),
    );
    expect(error.message).toContain('unknown setting [no.such.setting]');
    const kept = /log (\S+\/node-1\.log)/.exec(error.message)?.[1] ?? '';
    expect(readFileSync(kept, 'utf8')).toContain('unknown setting [no.such.setting]');
  });
});

describe('a process of our own', () => {
  test('that ends before it is ready shows the end of its log', async () => {
    const logDir = mkdtempSync(join(tmpdir(), 'aosc-service-'));
    const starting = startServiceProcess({
      name: 'failing',
      entry: join(logDir, 'no-such-entry.js'),
      logDir,
      readyUrl: 'http://127.0.0.1:9/',
    });
    await expect(starting).rejects.toThrow(/failing ended with exit code 1.*Cannot find module/s);
    rmSync(logDir, { recursive: true });
  });
});

describe('when the process that started them ends', () => {
  /** Starts a stack in a process of its own, which then does what `ending` says when its standard input closes. */
  function startParent(ending: string, env: NodeJS.ProcessEnv): ChildProcess {
    const script = `
      require(${JSON.stringify(built)}).startStack({ heapMb: 512 }).then((stack) => {
        process.stdout.write(stack.logFolder + '\\n');
        process.stdin.resume().once('end', () => { ${ending} });
      }, (error) => { process.stderr.write(String(error)); process.exit(3); });
    `;
    return spawn(process.execPath, ['-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    });
  }

  async function readFolder(parent: ChildProcess): Promise<string> {
    if (parent.stdout === null) throw new Error('no output');
    for await (const line of createInterface({ input: parent.stdout })) return dirname(line);
    throw new Error('the parent said nothing');
  }

  const elsewhere = { AOSC_OPENSEARCH_URL: 'http://127.0.0.1:9' };

  test.each<{
    how: string;
    env: NodeJS.ProcessEnv;
    ending?: string;
    signal?: NodeJS.Signals;
    servers: number;
  }>([
    { how: 'kill -9', env: {}, signal: 'SIGKILL', servers: 2 },
    { how: 'Ctrl-C', env: elsewhere, signal: 'SIGINT', servers: 1 },
    { how: 'SIGTERM', env: elsewhere, signal: 'SIGTERM', servers: 1 },
    {
      how: 'an exception',
      env: elsewhere,
      ending: 'process.stderr.write = () => true; throw new Error("on purpose")',
      servers: 1,
    },
    { how: 'nothing left to do', env: elsewhere, ending: '', servers: 1 },
  ])('$how leaves no process and no folder', async ({ env, ending = '', signal, servers }) => {
    const parent = startParent(ending, env);
    const folder = await readFolder(parent);
    const children = processTable().filter((entry) => entry.parent === parent.pid);
    expect(children).toHaveLength(servers + 1); // and the watchdog
    expect(existsSync(folder)).toBe(true);
    if (signal === undefined) parent.stdin?.end();
    else parent.kill(signal);
    await waitUntilGone(
      children.map(({ pid }) => pid),
      folder,
    );
  });
});

describe('an OpenSearch of the user', () => {
  /** Every file below it with its size and time. */
  function listFiles(folder: string): readonly string[] {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => {
        const { size, mtimeMs } = statSync(join(folder, name));
        return `${name} ${size} ${mtimeMs}`;
      })
      .toSorted();
  }

  test('is started as it is, and nothing is written into it', async () => {
    const env = process.env;
    const runAs = chooseRunAs();
    const home = await fetchDistribution({
      version: defaultOpenSearchVersion,
      secured: false,
      runAs,
      env,
      log: () => undefined,
      onProgress: () => undefined,
    });
    const before = listFiles(home);
    const lines: string[] = [];
    process.env = { ...env, AOSC_OPENSEARCH_HOME: home };
    try {
      const stack = await startStack({ redis: false, log: (line) => lines.push(line) });
      expect(await readHealth(stack.openSearchUrls[0] ?? '')).toMatchObject({ number_of_nodes: 1 });
      await stack.stop();
    } finally {
      process.env = env;
    }
    expect(lines).toEqual([
      expect.stringContaining(`starting OpenSearch ${defaultOpenSearchVersion} of ${home}`),
    ]);
    expect(listFiles(home)).toEqual(before);
  });
});
