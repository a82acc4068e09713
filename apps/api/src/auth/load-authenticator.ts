import { ConfigError, readTextFile, variables } from '@aosc/config';
import { type Authenticator, createAuthenticator } from './authenticator';
import { describeCredentialsError, readCredentials } from './read-credentials';

/**
 * Reads the credentials file, once: a change of it needs a restart.
 * @param path empty: no authentication
 * @throws ConfigError with one line
 */
export function loadAuthenticator(path: string): Authenticator | undefined {
  if (path === '') return undefined;
  const { name } = variables.authFile;
  const text = readTextFile(name, path);
  try {
    return createAuthenticator(readCredentials(text));
  } catch (error) {
    const problem = describeCredentialsError(error);
    throw problem === undefined ? error : new ConfigError([`${name} (${path}): ${problem}`]);
  }
}
