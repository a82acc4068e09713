import { ConfigError, readTextFile, variables } from '@aosc/config';
import type { FollowedFiles } from '../reload/follow-files';
import { type Authenticator, createAuthenticator } from './authenticator';
import { createLoginQueue } from './login-queue';
import type { Principal } from './principal';
import {
  type Credentials,
  describeCredentialsError,
  findCredential,
  type KnownCredential,
  readCredentials,
} from './read-credentials';

export interface LoadedAuthenticator {
  readonly authenticate: Authenticator;
  /** who is in use under this name */
  readonly findCredential: (kind: Principal['kind'], name: string) => KnownCredential | undefined;
  /** takes another credentials file into use: a caller that it no longer names is unknown from then on */
  readonly files: FollowedFiles;
  /** the text that is in use */
  readonly text: string;
}

/**
 * Reads the credentials file.
 * @param path empty: no authentication
 * @throws ConfigError with one line
 */
export function loadAuthenticator(path: string): LoadedAuthenticator | undefined {
  if (path === '') return undefined;
  const { name } = variables.authFile;
  const text = readTextFile(name, path);
  const logins = createLoginQueue();
  const create = (content: string) => {
    const credentials = parse(name, path, content);
    return { credentials, authenticate: createAuthenticator(credentials, undefined, logins) };
  };
  let current = create(text);
  return {
    authenticate: (authorization, client) => current.authenticate(authorization, client),
    findCredential: (kind, who) => findCredential(current.credentials, kind, who),
    text,
    files: {
      what: `${name} (${path})`,
      read: () => [readTextFile(name, path)],
      apply: ([content = '']) => {
        current = create(content);
      },
    },
  };
}

function parse(name: string, path: string, text: string): Credentials {
  try {
    return readCredentials(text);
  } catch (error) {
    const problem = describeCredentialsError(error);
    throw problem === undefined ? error : new ConfigError([`${name} (${path}): ${problem}`]);
  }
}
