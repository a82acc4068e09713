import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createParser } from '@aosc/contract';
import { Type } from '@sinclair/typebox';
import { type Cluster, startCluster } from './races/support/cluster';
import { createPair } from './races/support/pairs';

jest.setTimeout(600_000);

/**
 * Documents that are easily changed on the way, one on each line of the corpus, escaped there so that no editor and no
 * checkout changes them either. `target` is named where a line comment goes away with its line break.
 */
const parseNasty = createParser(
  'document of the corpus',
  Type.Object(
    {
      what: Type.String(),
      id: Type.String(),
      routing: Type.Optional(Type.String()),
      version: Type.Optional(Type.String()),
      source: Type.String(),
      target: Type.Optional(Type.String()),
    },
    { additionalProperties: false },
  ),
);
type Nasty = ReturnType<typeof parseNasty>;

const corpus: readonly Nasty[] = readFileSync(join(__dirname, 'corpus/nasty-documents.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => parseNasty(JSON.parse(line)));
const large: Nasty = {
  what: 'of 3 MB',
  id: 'large',
  source: `{"a":"${'é🌍 \\" '.repeat(250_000)}","b":[${'1.0,'.repeat(100_000)}-0]}`,
};
const documents = [...corpus, large];

const pathOf = (index: string, { id, routing }: Nasty): string =>
  `/${index}/_doc/${encodeURIComponent(id)}` +
  (routing === undefined ? '' : `?routing=${encodeURIComponent(routing)}`);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

/** `_version` and the bytes of `_source`, cut out of the answer as they stand there. */
async function readRaw(index: string, document: Nasty): Promise<{ version: string; source: string }> {
  const { status, body } = await cluster.http.send({ method: 'GET', path: pathOf(index, document) });
  expect(status).toBe(200);
  // one byte, one character: text that is not decoded can't hide a changed byte
  const text = body.toString('latin1');
  const mark = '"_source":';
  const start = text.indexOf(mark, text.indexOf('"found":true')) + mark.length;
  const version = /"_version":(\d+),"_seq_no"/.exec(text)?.[1] ?? '';
  return { version, source: text.slice(start, text.lastIndexOf('}')) };
}

const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');

test.each([{ shards: [1, 1] as const }, { shards: [2, 4] as const }, { shards: [3, 2] as const }])(
  'every document of the corpus is byte for byte the same in the target, $shards',
  async ({ shards }) => {
    const harness = await createPair(cluster, { shards, documents: [] });
    const [early, late] = [documents.filter((_, n) => n % 2 === 0), documents.filter((_, n) => n % 2 === 1)];
    const write = async (some: readonly Nasty[]): Promise<void> => {
      for (const { id, routing, version, source } of some) {
        const name = {
          id,
          ...(routing === undefined ? {} : { routing }),
          ...(version === undefined ? {} : { version }),
        };
        await cluster.put(harness.source, name, source);
      }
    };
    await write(early);
    await harness.backfill();
    await write(late);
    expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });

    for (const document of documents) {
      const { what, id, version = '1', source } = document;
      const before = await readRaw(harness.source, document);
      expect({ what, id, ...before }).toEqual({ what, id, version, source: bytesOf(source) });
      const expected = document.target ?? source.replace(/[\r\n]/g, ' ');
      const after = await readRaw(harness.target, document);
      expect({ what, id, ...after }).toEqual({ what, id, version, source: bytesOf(expected) });
    }
  },
);
