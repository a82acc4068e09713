import { randomBytes, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { createLoginQueue, type LoginQueue } from './login-queue';
import type { Principal } from './principal';
import type { Credentials } from './read-credentials';
import { type ScryptHash, sha256, verifyPassword } from './secret-hash';

/** What became of an `Authorization` header. */
type Verdict =
  | { readonly type: 'known'; readonly principal: Principal }
  /** `name`: a user that exists, and whose password it was not */
  | { readonly type: 'refused'; readonly name?: string }
  /** too many passwords wait for their check */
  | { readonly type: 'busy' };

/**
 * @param client the address it comes from: clients take turns when passwords wait for their check
 * @returns the verdict itself when there was nothing to wait for
 */
export type Authenticator = (authorization: string, client: string) => Verdict | Promise<Verdict>;

/** Headers whose password was right: a program that polls costs one check, not one for each request. */
const maxRemembered = 1000;
const maxHeaderLength = 4096;
const refused = { type: 'refused' } as const;

/**
 * Finds out who sends a request.
 * Secrets are compared in constant time, and a user that does not exist costs the same check as one that does. Only
 * right passwords are remembered, by a hash of the header: wrong ones could push them out.
 */
export function createAuthenticator(
  { users, apiKeys }: Credentials,
  verify: typeof verifyPassword = verifyPassword,
  logins: LoginQueue = createLoginQueue(),
): Authenticator {
  const remembered = new LRUCache<string, Principal>({ max: maxRemembered });
  const checking = new Map<string, Promise<Verdict>>();
  const decoy = decoyLike([...users.values()][0]?.hash);

  function findKey(key: string): Verdict {
    const hash = sha256(key);
    const matching = apiKeys.filter((known) => timingSafeEqual(known.hash, hash));
    const [found] = matching;
    return found === undefined ? refused : { type: 'known', principal: found.principal };
  }

  async function checkPassword(id: string, name: string, password: string, client: string): Promise<Verdict> {
    const user = users.get(name);
    const right = await logins.check(client, () => verify(password, user?.hash ?? decoy));
    if (right === undefined) return { type: 'busy' };
    if (user === undefined) return refused;
    if (!right) return { type: 'refused', name };
    remembered.set(id, user.principal);
    return { type: 'known', principal: user.principal };
  }

  /** Requests of one client that come together with the same header share one check. */
  function findUser(name: string, password: string, client: string): Verdict | Promise<Verdict> {
    const id = sha256(`${name}:${password}`).toString('base64');
    const principal = remembered.get(id);
    if (principal !== undefined) return { type: 'known', principal };
    // Another client's check may wait for longer, and be turned away.
    const shared = `${client} ${id}`;
    const running = checking.get(shared);
    if (running !== undefined) return running;
    const check = checkPassword(id, name, password, client).finally(() => checking.delete(shared));
    checking.set(shared, check);
    return check;
  }

  return (authorization, client) => {
    if (authorization.length > maxHeaderLength) return refused;
    const [, scheme = '', value = ''] = /^(basic|apikey) +(\S+)$/i.exec(authorization) ?? [];
    if (scheme.toLowerCase() === 'apikey') return findKey(value);
    if (scheme === '') return refused;
    const text = Buffer.from(value, 'base64').toString('utf8');
    const colon = text.indexOf(':');
    if (colon === -1 || users.size === 0) return refused;
    return findUser(text.slice(0, colon), text.slice(colon + 1), client);
  };
}

/** A hash that no password has, as dear to check as the real ones. */
function decoyLike(real: ScryptHash | undefined): ScryptHash {
  const { cost = 2 ** 15, blockSize = 8, parallelization = 1, hash } = real ?? {};
  return {
    cost,
    blockSize,
    parallelization,
    salt: randomBytes(16),
    hash: randomBytes(hash?.length ?? 32),
  };
}
