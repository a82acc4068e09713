import { ConfigError, readSecretFile, variables } from '@aosc/config';
import type { FollowedFiles } from '../reload/follow-files';
import { type Authenticator, createAuthenticator, createPasswordGate } from './authenticator';
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
  /** the credential that is in use under this name */
  readonly findCredential: (kind: Principal['kind'], name: string) => KnownCredential | undefined;
  /** takes another credentials file into use: a caller that it no longer names is unknown from then on */
  readonly files: FollowedFiles;
  /** the text that is in use */
  readonly text: string;
}

/**
 * Reads the credentials file.
 * @param path empty: no authentication
 * @param onChange called when other credentials have been taken into use
 * @throws ConfigError with one line
 */
export function loadAuthenticator(path: string, onChange: () => void): LoadedAuthenticator | undefined {
  if (path === '') return undefined;
  const { name } = variables.authFile;
  const text = readSecretFile(name, path);
  const gate = createPasswordGate();
  const create = (content: string) => {
    const credentials = parse(name, path, content);
    return { credentials, authenticate: createAuthenticator(credentials, gate) };
  };
  let current = create(text);
  return {
    authenticate: (authorization, address) => current.authenticate(authorization, address),
    findCredential: (kind, who) => findCredential(current.credentials, kind, who),
    text,
    files: {
      what: `${name} (${path})`,
      read: () => [readSecretFile(name, path)],
      apply: ([content = '']) => {
        current = create(content);
        onChange();
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
