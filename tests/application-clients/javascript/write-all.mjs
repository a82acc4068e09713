// snippet:begin
import { setTimeout as sleep } from 'node:timers/promises';

/** 429: too much to do. 403 with this type: a write block. 403 with another type: a lack of privileges. */
const mayRetry = ({ status, error }) =>
  status === 429 || (status === 403 && error?.type === 'cluster_block_exception');

/**
 * Writes through the alias until each write is done, refused for good, or the time is over.
 * @param writes `{ operation: { index: { _id } }, document }`, also with `create` or `delete`; no id twice
 * @returns the writes that are not done, with `status` and `error`
 */
export async function writeAll(client, alias, writes, { tryForMs = 90_000, onRetry } = {}) {
  const deadline = Date.now() + tryForMs;
  const failed = [];
  let pending = writes;
  for (let attempt = 0; pending.length > 0; attempt += 1) {
    const refused = [];
    await client.helpers.bulk({
      index: alias,
      datasource: pending,
      onDocument: ({ operation, document }) => [operation, document],
      onDrop: (drop) => (mayRetry(drop) && Date.now() < deadline ? refused : failed).push(drop),
      retries: 0,
    });
    pending = refused;
    if (pending.length === 0) break;
    onRetry?.(pending.length);
    await sleep(Math.random() * Math.min(1_000, 50 * 2 ** attempt));
  }
  return failed;
}
// snippet:end
