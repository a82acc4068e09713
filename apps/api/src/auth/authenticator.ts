import { randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { ConfigError, readSecretFile, variables } from '@aosc/config';
import { ShapeError } from '@aosc/contract';
import { LRUCache } from 'lru-cache';
import type { Principal } from './principal';
import { type Credentials, CredentialsError, findCredential, readCredentials } from './read-credentials';
import { type ScryptHash, sha256, verifyPassword } from './secret-hash';
import { createAdmission } from '../limits/admission';

/** What an `Authorization` header says, as far as a hash can show it. */
type Sender = { readonly type: 'known'; readonly principal: Principal } | UnprovenSender;

/** A wrong header, or a password that was not right before: its check takes some tenths of a second. */
interface UnprovenSender {
  readonly type: 'unproven';
  /** the user, when there is one of that name */
  readonly user?: Principal | undefined;
  /** whether the same password of the same address is being checked */
  readonly isUnderWay: boolean;
  /**
   * @returns undefined: it is wrong
   * @throws AoscError rate_limited: too many wait
   */
  check(): Promise<Principal | undefined>;
}

/** Finds out who sends a request. @param address whose passwords wait behind each other */
export type Authenticator = (authorization: string, address: string) => Sender;

/** Headers whose password was right: a program that polls costs one check, not one for each request. */
const maxRemembered = 1000;
const wrong: Sender = { type: 'unproven', isUnderWay: false, check: () => Promise.resolve(undefined) };

/** Addresses whose last password was wrong, and for how many milliseconds the gate thinks of them. */
const maxGuessing = 10_000;
const guessingMs = 60_000;

/**
 * The one place where passwords are checked. A check takes its hash's memory (32 MiB as the script makes them) and a core
 * for a third of a second; one core is left to the loop that answers everybody. An address has one check at a time, and
 * an address whose last password was wrong waits behind the others.
 */
export function createPasswordGate(cores = availableParallelism()) {
  const admission = createAdmission({
    maxWaiting: 64,
    maxWaitingOfCaller: 2,
    waitMs: 10_000,
    busy: 'Too many logins at the same moment; try again',
  });
  const all = { name: 'all', units: Math.max(1, Math.min(2, cores - 1)) };
  const guessing = new LRUCache<string, true>({ max: maxGuessing, ttl: guessingMs });
  return async (address: string, check: () => Promise<boolean>): Promise<boolean> => {
    const isLate = (): boolean => guessing.has(address);
    const shares = [{ name: `of ${address}`, units: 1 }, all] as const;
    return admission.run({ shares, weight: 1, isLate }, async () => {
      const isRight = await check();
      if (isRight) guessing.delete(address);
      else guessing.set(address, true);
      return isRight;
    });
  };
}

/**
 * Compares secrets in constant time, and a user that does not exist costs the same check as a user that does. Only
 * right passwords are remembered, by a hash of the header: wrong ones could push them out.
 */
export function createAuthenticator(
  { users, apiKeys }: Credentials,
  gate = createPasswordGate(),
  verify: typeof verifyPassword = verifyPassword,
): Authenticator {
  const remembered = new LRUCache<string, Principal>({ max: maxRemembered });
  const checking = new Map<string, Promise<Principal | undefined>>();
  const decoy = decoyLike([...users.values()][0]?.hash);

  function findKey(key: string): Sender {
    const hash = sha256(key);
    const [found] = apiKeys.filter((known) => timingSafeEqual(known.hash, hash));
    return found === undefined ? wrong : { type: 'known', principal: found.principal };
  }

  function findUser(name: string, password: string, address: string): Sender {
    const id = sha256(`${name}:${password}`).toString('base64');
    const principal = remembered.get(id);
    if (principal !== undefined) return { type: 'known', principal };
    const user = users.get(name);
    const shared = `${address} ${id}`;
    const begin = async (): Promise<Principal | undefined> => {
      const isRight = await gate(address, () => verify(password, user?.hash ?? decoy));
      if (!isRight || user === undefined) return undefined;
      remembered.set(id, user.principal);
      return user.principal;
    };
    return {
      type: 'unproven',
      user: user?.principal,
      isUnderWay: checking.has(shared),
      check: () => {
        const check = checking.get(shared) ?? begin().finally(() => checking.delete(shared));
        checking.set(shared, check);
        return check;
      },
    };
  }

  return (authorization, address) => {
    const [, scheme = '', value = ''] = /^(basic|apikey) +(\S+)$/i.exec(authorization) ?? [];
    if (scheme.toLowerCase() === 'apikey') return findKey(value);
    // No colon: a wrong header, and one without a scheme has none.
    const [, name, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(value, 'base64').toString('utf8')) ?? [];
    if (name === undefined || password === undefined || users.size === 0) return wrong;
    return findUser(name, password, address);
  };
}

/** A hash that no password has, as dear to check as the real ones. */
function decoyLike(real: ScryptHash | undefined): ScryptHash {
  const [salt, hash] = [randomBytes(16), randomBytes(real?.hash.length ?? 32)];
  return { cost: 2 ** 15, blockSize: 8, parallelization: 1, ...real, salt, hash };
}

export type LoadedAuthenticator = NonNullable<ReturnType<typeof loadAuthenticator>>;

/**
 * Reads the credentials file.
 * @param path empty: no authentication
 * @param onChange called when other credentials have been taken into use
 * @throws ConfigError with one line
 */
export function loadAuthenticator(path: string, onChange: () => void) {
  if (path === '') return undefined;
  const { name } = variables.authFile;
  const what = `${name} (${path})`;
  const read = (): string => readSecretFile(name, path);
  const gate = createPasswordGate();
  const create = (text: string) => {
    const credentials = parse(what, text);
    return { credentials, authenticate: createAuthenticator(credentials, gate) };
  };
  const inUse = read();
  let current = create(inUse);
  const authenticate: Authenticator = (...shown) => current.authenticate(...shown);
  const apply = (text: string): void => {
    current = create(text);
    onChange();
  };
  return {
    authenticate,
    /** the credential that is in use under this name */
    findCredential: (kind: Principal['kind'], who: string) => findCredential(current.credentials, kind, who),
    /** their change: a caller that the file no longer names is unknown from then on */
    files: { what, inUse, read, apply },
  };
}

function parse(what: string, text: string): Credentials {
  try {
    return readCredentials(text);
  } catch (error) {
    if (!(error instanceof CredentialsError || error instanceof ShapeError)) throw error;
    throw new ConfigError([`${what}: ${error.message}`]);
  }
}
