import { type AppConfig, readApiTls, variables } from '@aosc/config';
import type { Logger } from '@aosc/telemetry';
import type { TlsFiles } from '../http/create-server';

export interface FollowedFiles {
  /** what the log calls them */
  readonly what: string;
  /** their texts. @throws when one can't be read */
  readonly read: () => readonly string[];
  /** takes them into use. @throws when they can't be used: the old ones stay */
  readonly apply: (texts: readonly string[]) => void;
}

/** Checks whether they have changed. Never throws: a problem is logged, and only once while it stays the same. */
type Follower = () => void;

/**
 * Takes files into use again when their text has changed. It compares texts and not times of change: those may have
 * whole seconds only, and mounted files are swapped.
 * @param inUse the texts that are in use now
 */
function followFiles(
  { what, read, apply }: FollowedFiles,
  inUse: readonly string[],
  logger: Logger,
): Follower {
  let current = inUse.join('\0');
  let problem: string | undefined;
  return () => {
    try {
      const texts = read();
      const content = texts.join('\0');
      if (content !== current) {
        apply(texts);
        current = content;
        logger.info(`${what} changed and taken into use`, { event: 'files_reloaded' });
      }
      problem = undefined;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason === problem) return;
      problem = reason;
      logger.error(`${what} changed and of no use: what was read before stays in use`, {
        event: 'reload_failed',
        error,
      });
    }
  };
}

/**
 * Follows the files that callers depend on: the credentials file, and the API's certificate with its key.
 * @param credentials undefined: there is no such file; the same holds for `tls`
 */
export function followOwnFiles(
  config: Pick<AppConfig<'api'>, 'apiTlsCert' | 'apiTlsKey'>,
  credentials: { readonly files: FollowedFiles; readonly text: string } | undefined,
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
