import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandRedis } from '@aosc/local-stack';

export { commandRedis };

/** Takes everything out of Redis, as a restart without persistence would. */
export async function flushRedis(url: string): Promise<void> {
  const answer = await commandRedis(url, ['FLUSHALL']);
  if (!answer.startsWith('+OK')) throw new Error(`FLUSHALL: ${answer}`);
}

/** The rule for the user of the service that the documentation has, as a line of Redis's configuration. */
export function documentedUser(): string {
  const page = readFileSync(join(__dirname, '../../docs/operations/redis.md'), 'utf8');
  const rule = /redis-cli ACL SETUSER ([^`]*)```/.exec(page)?.[1];
  if (rule === undefined) throw new Error('docs/operations/redis.md has no ACL SETUSER');
  return `user ${rule.replaceAll(/[\\']/g, '').split(/\s+/).join(' ').trim()}`;
}
