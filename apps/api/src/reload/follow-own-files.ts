import { type AppConfig, readApiTls, variables } from '@aosc/config';
import type { Logger } from '@aosc/telemetry';
import type { LoadedAuthenticator } from '../auth/load-authenticator';
import type { TlsFiles } from '../http/create-server';
import { type Follower, followFiles } from './follow-files';

/**
 * Follows the files that callers depend on: the credentials file, and the API's certificate with its key.
 * @param credentials undefined: there is no such file; the same holds for `tls`
 */
export function followOwnFiles(
  config: Pick<AppConfig<'api'>, 'apiTlsCert' | 'apiTlsKey'>,
  credentials: LoadedAuthenticator | undefined,
  tls: TlsFiles | undefined,
  useTls: (tls: TlsFiles) => void,
  logger: Logger,
): readonly Follower[] {
  const followers: Follower[] = [];
  if (credentials !== undefined) {
    followers.push(followFiles(credentials.files, [credentials.text], logger));
  }
  if (tls !== undefined) {
    const read = (): readonly string[] => {
      const files = readApiTls(config);
      return files === undefined ? [] : [files.cert, files.key];
    };
    const what = `${variables.apiTlsCert.name} and ${variables.apiTlsKey.name}`;
    const apply = ([cert = '', key = '']: readonly string[]): void => useTls({ cert, key });
    followers.push(followFiles({ what, read, apply }, [tls.cert, tls.key], logger));
  }
  return followers;
}
