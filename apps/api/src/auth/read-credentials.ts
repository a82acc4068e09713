import { createParser, CredentialsFileSchema, fromWire, type Grant, ShapeError } from '@aosc/contract';
import type { Principal } from './principal';
import { parseKeyHash, parseScryptHash, type ScryptHash, sha256 } from './secret-hash';

/** A user or a key of the credentials file. */
export interface KnownCredential {
  readonly principal: Principal;
  /** changes with the secret, the roles and the patterns */
  readonly fingerprint: string;
}

interface KnownUser extends KnownCredential {
  readonly hash: ScryptHash;
}

interface KnownKey extends KnownCredential {
  /** SHA-256 of the key */
  readonly hash: Buffer;
}

/** All users and keys that may call the API. */
export interface Credentials {
  readonly users: ReadonlyMap<string, KnownUser>;
  readonly apiKeys: readonly KnownKey[];
}

/** The credentials can't be used. The message names the entry and never shows a hash. */
class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
}

const parseFile = createParser('the credentials file', CredentialsFileSchema);
const howToHash = 'make it with scripts/hash-credential.mjs';

/** Reads the text of the credentials file. @throws CredentialsError with one line */
export function readCredentials(text: string): Credentials {
  const file = fromWire(CredentialsFileSchema, parseFile(parseJson(text)));
  const users = new Map<string, KnownUser>();
  for (const { name, passwordHash, ...access } of file.users ?? []) {
    const hash = parseScryptHash(passwordHash);
    if (hash === undefined)
      throw new CredentialsError(`password_hash of user [${name}] is none: ${howToHash}`);
    if (users.has(name)) throw new CredentialsError(`user [${name}] is there twice`);
    const fingerprint = fingerprintOf(passwordHash, access);
    users.set(name, { principal: principalOf('user', name, access), hash, fingerprint });
  }
  const apiKeys: KnownKey[] = [];
  for (const { name, keyHash, ...access } of file.apiKeys ?? []) {
    const hash = parseKeyHash(keyHash);
    if (hash === undefined) throw new CredentialsError(`key_hash of API key [${name}] is none: ${howToHash}`);
    if (apiKeys.some((known) => known.principal.name === name || known.hash.equals(hash))) {
      throw new CredentialsError(`API key [${name}] is there twice, by its name or its hash`);
    }
    const fingerprint = fingerprintOf(keyHash, access);
    apiKeys.push({ principal: principalOf('api_key', name, access), hash, fingerprint });
  }
  if (users.size + apiKeys.length === 0) {
    throw new CredentialsError(
      'the credentials file has no user and no API key: every request would be refused',
    );
  }
  return { users, apiKeys };
}

/** @returns undefined: the file does not name it */
export function findCredential(
  { users, apiKeys }: Credentials,
  kind: Principal['kind'],
  name: string,
): KnownCredential | undefined {
  return kind === 'user' ? users.get(name) : apiKeys.find(({ principal }) => principal.name === name);
}

function fingerprintOf(secretHash: string, access: object): string {
  return sha256(JSON.stringify([secretHash, access]))
    .toString('base64url')
    .slice(0, 22);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the text around the mistake.
    throw new CredentialsError('the credentials file is not JSON');
  }
}

function principalOf(
  kind: Principal['kind'],
  name: string,
  access: {
    readonly roles: readonly Grant[];
    readonly indexPatterns?: readonly string[] | undefined;
    readonly aliasPatterns?: readonly string[] | undefined;
  },
): Principal {
  const { roles, indexPatterns, aliasPatterns = indexPatterns } = access;
  if (aliasPatterns !== undefined && roles.includes('admin')) {
    const field = indexPatterns === undefined ? 'alias_patterns' : 'index_patterns';
    throw new CredentialsError(
      `[${name}] has the role admin and ${field}: settings and _admin reach every index. Give up one of the two`,
    );
  }
  if (roles.includes('transform') && !roles.includes('operate') && !roles.includes('admin')) {
    throw new CredentialsError(
      `[${name}] has transform without operate: it could start nothing to transform`,
    );
  }
  return { kind, name, roles, indexPatterns, aliasPatterns };
}

/** One line for the operator whose process did not start; undefined when the error is of another kind. */
export function describeCredentialsError(error: unknown): string | undefined {
  return error instanceof CredentialsError || error instanceof ShapeError ? error.message : undefined;
}
