import { ConfigError } from './parse-env';
import { readTextFile } from './read-text-file';
import { variables } from './variables';

/** How OpenSearch is reached besides its address; PEM texts. */
export interface OpenSearchAccess {
  readonly ca?: string;
  readonly clientCertificate?: { readonly cert: string; readonly key: string };
  readonly credentials?: { readonly username: string; readonly password: string };
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
export function readOpenSearchAccess(config: Readonly<OpenSearchFiles>): OpenSearchAccess {
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
            key: readPem(variables.openSearchClientKey.name, key),
          },
        }),
    ...(username === ''
      ? {}
      : {
          credentials: {
            username,
            password: readTextFile(variables.openSearchPasswordFile.name, passwordFile).replace(/\r?\n$/, ''),
          },
        }),
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
    key: readPem(variables.apiTlsKey.name, config.apiTlsKey),
  };
}

function readPem(variable: string, path: string): string {
  const text = readTextFile(variable, path);
  if (text.includes('-----BEGIN ')) return text;
  throw new ConfigError([`${variable}: the file ${path} is not PEM: there is no line with -----BEGIN`]);
}
