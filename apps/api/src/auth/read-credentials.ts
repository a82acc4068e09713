import { createParser, CredentialsFileSchema, fromWire, type Grant } from '@aosc/contract';
import type { Principal } from './principal';
import { parseKeyHash, parseScryptHash, type ScryptHash, sha256 } from './secret-hash';

/** A user or a key of the credentials file. */
export interface KnownCredential {
  readonly principal: Principal;
  /** changes with the secret, the roles and the patterns */
  readonly fingerprint: string;
}

/** All users and keys that may call the API. */
export interface Credentials {
  readonly users: ReadonlyMap<string, KnownCredential & { readonly hash: ScryptHash }>;
  /** each with the SHA-256 of the key */
  readonly apiKeys: readonly (KnownCredential & { readonly hash: Buffer })[];
}

/** The credentials can't be used. The message names the entry and never shows a hash. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
}

function refuse(problem: string): never {
  throw new CredentialsError(problem);
}

const parseFile = createParser('the credentials file', CredentialsFileSchema);
const howToHash = 'make it with scripts/hash-credential.mjs';

/** Reads the text of the credentials file. @throws CredentialsError and ShapeError with one line */
export function readCredentials(text: string): Credentials {
  const file = fromWire(CredentialsFileSchema, parseFile(parseJson(text)));
  const users = new Map<string, KnownCredential & { readonly hash: ScryptHash }>();
  for (const { name, passwordHash, ...access } of file.users ?? []) {
    const hash =
      parseScryptHash(passwordHash) ?? refuse(`password_hash of user [${name}] is none: ${howToHash}`);
    if (users.has(name)) refuse(`user [${name}] is there twice`);
    users.set(name, { ...credentialOf('user', name, passwordHash, access), hash });
  }
  const apiKeys: (KnownCredential & { readonly hash: Buffer })[] = [];
  for (const { name, keyHash, ...access } of file.apiKeys ?? []) {
    const hash = parseKeyHash(keyHash) ?? refuse(`key_hash of API key [${name}] is none: ${howToHash}`);
    if (apiKeys.some((known) => known.principal.name === name || known.hash.equals(hash))) {
      refuse(`API key [${name}] is there twice, by its name or its hash`);
    }
    apiKeys.push({ ...credentialOf('api_key', name, keyHash, access), hash });
  }
  if (users.size + apiKeys.length > 0) return { users, apiKeys };
  return refuse('the credentials file has no user and no API key: every request would be refused');
}

/** @returns undefined: the file does not name it */
export function findCredential(
  { users, apiKeys }: Credentials,
  kind: Principal['kind'],
  name: string,
): KnownCredential | undefined {
  return kind === 'user' ? users.get(name) : apiKeys.find(({ principal }) => principal.name === name);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the text around the mistake.
    return refuse('the credentials file is not JSON');
  }
}

function credentialOf(
  kind: Principal['kind'],
  name: string,
  secretHash: string,
  access: { readonly roles: readonly Grant[] } & Pick<Principal, 'aliasPatterns'> &
    Partial<Pick<Principal, 'indexPatterns'>>,
): KnownCredential {
  const { roles, indexPatterns, aliasPatterns = indexPatterns } = access;
  if (aliasPatterns !== undefined && roles.includes('admin')) {
    const field = indexPatterns === undefined ? 'alias_patterns' : 'index_patterns';
    refuse(
      `[${name}] has the role admin and ${field}: settings and _admin reach every index. Give up one of the two`,
    );
  }
  if (roles.includes('transform') && !roles.includes('operate') && !roles.includes('admin')) {
    refuse(`[${name}] has transform without operate: it could start nothing to transform`);
  }
  const fingerprint = sha256(JSON.stringify([secretHash, access]))
    .toString('base64url')
    .slice(0, 22);
  return { principal: { kind, name, roles, indexPatterns, aliasPatterns }, fingerprint };
}
