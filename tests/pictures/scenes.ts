import { cancelMigration, startMigration, waitForPhase } from '@aosc/testkit';
import { type Environment, until } from '../support/environment';
import { say } from '../support/long-test';

/** Documents of the index whose copy is shown, and how few go into one bulk meanwhile: so there is time to look. */
const shownDocuments = 80_000;
const slow = {
  'aosc.backfill.controller.type': 'adaptive',
  'aosc.backfill.controller.batch.max_docs': '5',
  'aosc.backfill.max_concurrent_per_node': '4',
} as const;
const writeEveryMs = 250;

/** The migration that the pictures show in the middle of its copy. */
export const shown = { source: 'products-v1', target: 'products-v2', alias: 'products' } as const;
/** Not migrated yet: for the form. */
export const planned = { source: 'orders-v1', target: 'orders-v2', alias: 'orders' } as const;
/** Brings amounts in cents into another unit. */
export const script =
  "ctx._source.price = ctx._source.price_cents / 100.0;\nctx._source.remove('price_cents');";

const ended = ['COMPLETED', 'CANCELLED', 'FAILED'] as const;

/** Migrations that have ended in each way, and one whose copy has begun. */
export async function prepareScenes(environment: Environment): Promise<void> {
  const { apiUrl } = environment;
  await makeSource(environment, planned.source, planned.alias, 1_000);
  await runToEnd(environment, 'reviews', {});
  const breaks = "if (ctx._source.n == 1777) { throw new IllegalArgumentException('no price'); }";
  await runToEnd(environment, 'invoices', { type: 'inline', source: breaks });
  await environment.putSettings(slow);
  await makePair(environment, 'events', 2_000);
  await startMigration(apiUrl, { source: 'events-v1', target: 'events-v2', alias: 'events' });
  await cancelMigration(apiUrl, 'events-v1');
  await waitForPhase(apiUrl, 'events-v1', ['CANCELLED']);
  say(`Loading ${shownDocuments} documents`);
  await makePair(environment, 'products', shownDocuments);
}

async function runToEnd(environment: Environment, name: string, transformScript: object): Promise<void> {
  await makePair(environment, name, 2_000);
  const start = { source: `${name}-v1`, target: `${name}-v2`, alias: name };
  const script = Object.keys(transformScript).length > 0 && { transformScript: { ...transformScript } };
  await startMigration(environment.apiUrl, { ...start, ...script });
  await until(`the end of ${name}`, async () => {
    const phase = await waitForPhase(environment.apiUrl, start.source, [...ended]);
    return ended.some((one) => one === phase.phase);
  });
}

async function makePair(environment: Environment, name: string, documents: number): Promise<void> {
  await makeSource(environment, `${name}-v1`, name, documents);
  await send(environment, 'PUT', `/${name}-v2`, { settings: { number_of_shards: 8, number_of_replicas: 0 } });
}

async function makeSource(
  environment: Environment,
  index: string,
  alias: string,
  documents: number,
): Promise<void> {
  await send(environment, 'PUT', `/${index}`, {
    settings: { number_of_shards: 4, number_of_replicas: 0 },
    aliases: { [alias]: {} },
  });
  const size = 5_000;
  for (let from = 0; from < documents; from += size) {
    const ids = Array.from({ length: Math.min(size, documents - from) }, (_, n) => from + n);
    await bulk(environment, index, ids.map(indexLine).join(''));
  }
  await send(environment, 'POST', `/${index}/_refresh`);
}

const words = ['chair', 'table', 'lamp', 'shelf', 'desk', 'mirror', 'carpet'];
function indexLine(n: number): string {
  const document = {
    n,
    name: `${words[n % words.length] ?? ''} no. ${n}`,
    price_cents: 999 + ((n * 37) % 9_000),
  };
  return `{"index":{"_id":"${n}"}}\n${JSON.stringify(document)}\n`;
}

/** Applications that insert, change and delete, through the alias. @returns what ends them */
export function startWriters(environment: Environment, alias: string): () => Promise<void> {
  const stopping = new AbortController();
  const write = async (): Promise<void> => {
    for (let n = 0; !stopping.signal.aborted; n += 1) {
      const [fresh, old] = [shownDocuments + n, (n * 7_919) % shownDocuments];
      const lines = `${indexLine(fresh)}${indexLine(old)}{"delete":{"_id":"${(old * 31) % shownDocuments}"}}\n`;
      // Under the write block it is refused: an application would try again.
      await bulk(environment, alias, lines).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, writeEveryMs));
    }
  };
  const writing = write();
  return async () => {
    stopping.abort();
    await writing;
  };
}

/** From now on the copy is as fast as it can be. */
export function letCopy(environment: Environment): Promise<void> {
  return environment.putSettings({ 'aosc.backfill.controller.batch.max_docs': null });
}

async function bulk({ http }: Environment, index: string, lines: string): Promise<void> {
  const { status } = await http.send({ method: 'POST', path: `/${index}/_bulk`, body: lines });
  if (status !== 200) throw new Error(`a bulk into ${index} was answered with ${status}`);
}

async function send(
  { http }: Environment,
  method: 'PUT' | 'POST',
  path: string,
  body?: object,
): Promise<void> {
  const { status, body: answer } = await http.send({
    method,
    path,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${answer.toString('utf8')}`);
}
