import type { Connection } from './connection';

/**
 * Removes all keys of a queue and of its jobs at once: BullMQ's own way takes several steps, and pauses the queue for
 * good when it is interrupted. A lock means that a worker still runs a job.
 */
const script = `
local prefix = ARGV[1]
for _, id in ipairs(redis.call('LRANGE', prefix .. 'active', 0, -1)) do
  if redis.call('EXISTS', prefix .. id .. ':lock') == 1 then return 0 end
end
local function forget(ids)
  for _, id in ipairs(ids) do
    local name = redis.call('HGET', prefix .. id, 'deid')
    if name then redis.call('DEL', prefix .. 'de:' .. name) end
    redis.call('DEL', prefix .. id, prefix .. id .. ':logs')
  end
end
for _, list in ipairs({ 'wait', 'paused', 'active' }) do
  forget(redis.call('LRANGE', prefix .. list, 0, -1))
  redis.call('DEL', prefix .. list)
end
for _, set in ipairs({ 'prioritized', 'delayed', 'completed', 'failed' }) do
  forget(redis.call('ZRANGE', prefix .. set, 0, -1))
  redis.call('DEL', prefix .. set)
end
for _, key in ipairs({ 'meta', 'id', 'pc', 'marker', 'events', 'stalled', 'stalled-check', 'limiter' }) do
  redis.call('DEL', prefix .. key)
end
redis.call('SREM', KEYS[1], ARGV[2])
return 1`;

/**
 * Removes all keys of a data node's queue.
 * @param prefix of the queue's keys, with the `:` at its end
 * @returns false when one of its jobs is running: nothing was removed
 */
export async function forgetQueue(
  connection: Connection,
  prefix: string,
  { known, nodeId }: { readonly known: string; readonly nodeId: string },
): Promise<boolean> {
  return (await connection.eval(script, 1, known, prefix, nodeId)) === 1;
}
