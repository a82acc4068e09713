import { commandRedis } from '@aosc/local-stack';

export { commandRedis };

/** Takes everything out of Redis, as a restart without persistence would. */
export async function flushRedis(url: string): Promise<void> {
  const answer = await commandRedis(url, ['FLUSHALL']);
  if (!answer.startsWith('+OK')) throw new Error(`FLUSHALL: ${answer}`);
}
