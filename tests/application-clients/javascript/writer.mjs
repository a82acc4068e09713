import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@opensearch-project/opensearch';
import { writeAll } from './write-all.mjs';

/** `node writer.mjs URL ALIAS PREFIX`: one of the writers of ../writer-process.ts, which says what it reads and prints. */
const [url, alias, prefix] = process.argv.slice(2);
const client = new Client({ node: url });
const keys = 300;
const batch = 10;
const paceMs = 50;

let stopped = false;
process.stdin.resume().once('end', () => (stopped = true));
const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

/** Every second write has an id that is written once; the others go round, and delete what they wrote now and then. */
function writeOf(number) {
  const turn = Math.floor(number / 2);
  const key = turn % keys;
  const revision = Math.floor(turn / keys);
  const id = number % 2 === 1 ? `${prefix}-once-${number}` : `${prefix}-${key}`;
  if (number % 2 === 0 && revision > 0 && (revision + key) % 3 === 0)
    return { told: { id, revision: null }, write: { operation: { delete: { _id: id } } } };
  return {
    told: { id, revision },
    write: { operation: { index: { _id: id } }, document: { key: prefix, revision } },
  };
}

for (let next = 0; !stopped; next += batch) {
  const planned = Array.from({ length: batch }, (_, at) => writeOf(next + at));
  const writes = planned.map(({ write }) => write);
  const failed = await writeAll(client, alias, writes, { onRetry: (count) => tell({ refused: count }) });
  if (failed.length > 0) {
    tell({ failed: failed.map(({ status, error }) => `${status} ${JSON.stringify(error)}`) });
    break;
  }
  tell({ acknowledged: planned.map(({ told }) => told) });
  await sleep(paceMs);
}
await client.close();
process.stdin.destroy();
