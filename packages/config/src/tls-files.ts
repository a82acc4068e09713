import type { RedisAccess } from '@aosc/contract';
import { ConfigError } from './parse-env';
import { readSecretFile, readTextFile } from './read-text-file';
import { variables } from './variables';

/** How OpenSearch is reached besides its address; PEM texts. */
export interface OpenSearchAccess {
  readonly ca?: string;
  readonly clientCertificate?: { readonly cert: string; readonly key: string };
  readonly credentials?: { readonly username: string; readonly password: string };
  /** the client signs requests for AWS */
  readonly aws?: { readonly region: string; readonly service: 'es' | 'aoss' };
}

type OpenSearchFiles = Record<
  | 'openSearchCa'
  | 'openSearchClientCert'
  | 'openSearchClientKey'
  | 'openSearchUsername'
  | 'openSearchPasswordFile',
  string
>;

/** Reads the files that the variables of OpenSearch name. @throws ConfigError with one line */
export function readOpenSearchAccess(
  config: Readonly<OpenSearchFiles> & {
    readonly openSearchAwsRegion: string;
    readonly openSearchAwsService: 'es' | 'aoss';
  },
): OpenSearchAccess {
  const { openSearchAwsRegion: region, openSearchAwsService: service } = config;
  const ca = config.openSearchCa;
  const [cert, key] = [config.openSearchClientCert, config.openSearchClientKey];
  const [username, passwordFile] = [config.openSearchUsername, config.openSearchPasswordFile];
  return {
    ...(ca === '' ? {} : { ca: readPem(variables.openSearchCa.name, ca) }),
    ...(cert === ''
      ? {}
      : {
          clientCertificate: {
            cert: readPem(variables.openSearchClientCert.name, cert),
            key: readPem(variables.openSearchClientKey.name, key, readSecretFile),
          },
        }),
    ...(username === ''
      ? {}
      : {
          credentials: {
            username,
            password: readSecretFile(variables.openSearchPasswordFile.name, passwordFile).replace(
              /\r?\n$/,
              '',
            ),
          },
        }),
    ...(region === '' ? {} : { aws: { region, service } }),
  };
}

/**
 * Where Redis is, with the content of the files that its variables name.
 * @throws ConfigError with one line
 */
export function readRedisAccess(config: {
  readonly redisUrls: readonly string[];
  readonly redisSentinels: readonly string[];
  readonly redisCluster: 'no' | 'yes';
  readonly redisCa: string;
  readonly redisClientCert: string;
  readonly redisClientKey: string;
}): RedisAccess {
  const { redisUrls, redisSentinels, redisCa: ca, redisClientCert: cert, redisClientKey: key } = config;
  const [redisUrl = variables.redisUrls.fallback] = redisUrls;
  return {
    redisUrl,
    redisTls: {
      ...(ca === '' ? {} : { ca: readPem(variables.redisCa.name, ca) }),
      ...(cert === '' ? {} : { cert: readPem(variables.redisClientCert.name, cert) }),
      ...(key === '' ? {} : { key: readPem(variables.redisClientKey.name, key, readSecretFile) }),
    },
    ...(redisSentinels.length === 0 ? {} : { redisSentinels }),
    ...(config.redisCluster === 'yes' ? { redisCluster: redisUrls } : {}),
  };
}

/** The API's own certificate. @returns undefined when it speaks plain HTTP. @throws ConfigError with one line */
export function readApiTls(config: {
  readonly apiTlsCert: string;
  readonly apiTlsKey: string;
}): { readonly cert: string; readonly key: string } | undefined {
  if (config.apiTlsCert === '') return undefined;
  return {
    cert: readPem(variables.apiTlsCert.name, config.apiTlsCert),
    key: readPem(variables.apiTlsKey.name, config.apiTlsKey, readSecretFile),
  };
}

function readPem(variable: string, path: string, read = readTextFile): string {
  const text = read(variable, path);
  if (text.includes('-----BEGIN ')) return text;
  throw new ConfigError([`${variable}: the file ${path} is not PEM: there is no line with -----BEGIN`]);
}
