import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RedisCall } from '@aosc/testkit';
import type { ChangingCall } from './place';

const readingCommands =
  /^(HELLO|CLIENT|INFO|PING|SELECT|AUTH|QUIT|SCRIPT|CONFIG|MULTI|GET|MGET|EXISTS|TYPE|P?TTL|[HL]?LEN|H(GET|MGET|GETALL|KEYS|LEN|EXISTS)|L(LEN|RANGE|INDEX|POS)|Z(CARD|RANGE|SCORE|COUNT|REVRANGE|REVRANGEBYSCORE)|S(CARD|MEMBERS|ISMEMBER)|X(LEN|RANGE|READ)|SCAN|TIME)$/;
const readingScripts = /^(get|is|paginate|relayGet)/;
/** They come with the clock, in whatever phase that is; and a job that is taken looks the same in each. */
const clockwork = /^(moveToActive|moveStalledJobsToWait|extendLock|BZPOPMIN|EVAL|HSET|HMSET|SET|XTRIM)/;

/** Names of BullMQ's scripts by what Redis calls them: the SHA-1 of their text. */
function readScriptNames(): ReadonlyMap<string, string> {
  const folder = join(dirname(require.resolve('bullmq')), 'scripts');
  const names = new Map<string, string>();
  for (const file of readdirSync(folder).filter((name) => /-\d+\.js$/.test(name))) {
    const text = /const content = `([\s\S]*?)`;\n/.exec(readFileSync(join(folder, file), 'utf8'))?.[1];
    if (text === undefined) throw new Error(`${file} of BullMQ has no script where one is looked for`);
    names.set(createHash('sha1').update(text).digest('hex'), file.replace(/-\d+\.js$/, ''));
  }
  return names;
}

const scriptNames = readScriptNames();

/**
 * Names a command. What is not known as reading counts as changing.
 * @returns undefined for a command that changes nothing
 */
export function nameRedisCall(call: RedisCall): ChangingCall | undefined {
  const { name, words, transaction } = call;
  if (name === 'EXEC') {
    const names = new Set(transaction.map((part) => nameRedisCall(part)?.what.replace(/^redis /, '')));
    names.delete(undefined);
    return names.size === 0 ? undefined : { what: `redis EXEC ${[...names].join(' ')}`, via: 'redis' };
  }
  if (readingCommands.test(name)) return undefined;
  const script = name === 'EVALSHA' || name === 'EVAL' ? scriptOf(call) : undefined;
  if (script !== undefined && readingScripts.test(script)) return undefined;
  const text = script ?? name;
  const first = words[script === undefined && !name.startsWith('EVAL') ? 1 : 3]?.toString() ?? '';
  const key = words.map(
    (word) => /(?:^|[^0-9a-f])([0-9a-f]{20})(?![0-9a-f])/.exec(word.toString('latin1'))?.[1],
  );
  return {
    what: `redis ${text} ${queueOf(first)}`,
    via: 'redis',
    key: key.find((found) => found !== undefined),
    ...(clockwork.test(text) && { isPeriodic: true }),
  };
}

function scriptOf({ name, words }: RedisCall): string | undefined {
  const text = words[1] ?? Buffer.alloc(0);
  const sha = name === 'EVALSHA' ? text.toString() : createHash('sha1').update(text).digest('hex');
  return scriptNames.get(sha);
}

/** `aosc:<cluster>:<queue>:<part>` */
function queueOf(redisKey: string): string {
  const [, , queue = redisKey] = redisKey.split(':');
  return queue.startsWith('backfill-') ? 'backfill' : queue;
}
