import { randomBytes } from 'node:crypto';
import { type AppConfig, parseEnv, readOpenSearchAccess } from '@aosc/config';
import { trustAuthority } from '@aosc/testkit';
import { type DemoOptions } from './options';
import { RefusedError } from './refused-error';

/** Servers of the user that the demo runs on; undefined: it starts its own. */
export interface Surroundings {
  /** as the service takes it, several nodes separated by commas */
  readonly openSearch: string | undefined;
  readonly redis: string | undefined;
  /** begins all keys in Redis: no other installation has it */
  readonly queuePrefix: string;
  /** what a process of the service makes of all variables; its addresses count only for servers of the user */
  readonly config: AppConfig<'worker'>;
}

/** A prefix has up to 64 characters. */
const mostOfPrefix = 45;

/**
 * What flags and variables say of servers that run already; a flag wins over its variable.
 * @throws ConfigError with all that is wrong with them, without any password
 */
export function readSurroundings(
  { openSearch: openSearchFlag, redis: redisFlag }: Pick<DemoOptions, 'openSearch' | 'redis'>,
  env: NodeJS.ProcessEnv,
): Surroundings {
  const openSearch = openSearchFlag ?? (env['AOSC_OPENSEARCH_URL'] || undefined);
  const redis = redisFlag ?? (env['AOSC_REDIS_URL'] || undefined);
  const installation = (env['AOSC_QUEUE_PREFIX'] || 'aosc').slice(0, mostOfPrefix);
  const queuePrefix = `${installation}-demo-${randomBytes(4).toString('hex')}`;
  const config = parseEnv(
    {
      ...env,
      AOSC_OPENSEARCH_URL: openSearch,
      AOSC_REDIS_URL: redis,
      AOSC_QUEUE_PREFIX: queuePrefix,
    },
    'worker',
  );
  return { openSearch, redis, queuePrefix, config };
}

/**
 * The cluster's addresses for the parts of the demo outside the service: writers, and the comparison at the end.
 * @throws RefusedError when they could not log in there, ConfigError when a file can't be read
 */
export function prepareAccess(
  { openSearch, config }: Surroundings,
  urls: readonly string[],
): readonly string[] {
  if (openSearch === undefined) return urls;
  const { ca, clientCertificate, credentials, aws } = readOpenSearchAccess(config);
  if (clientCertificate !== undefined || aws !== undefined) {
    throw new RefusedError(
      'The demo can log in to OpenSearch only with user and password: its writers and its comparison show no client ' +
        'certificate and sign nothing for AWS. Leave --opensearch (AOSC_OPENSEARCH_URL) out, and it starts its own.',
    );
  }
  if (ca !== undefined) trustAuthority(ca);
  if (credentials === undefined) return urls;
  return urls.map((text) => {
    const url = new URL(text);
    url.username = encodeURIComponent(credentials.username);
    url.password = encodeURIComponent(credentials.password);
    return url.href;
  });
}

/** One or several addresses as they may be shown. */
export function withoutCredentials(urls: string): string {
  return urls
    .split(',')
    .map((text) => {
      const url = new URL(text.trim());
      return `${url.protocol}//${url.host}${url.pathname === '/' ? '' : url.pathname}`;
    })
    .join(' ');
}
