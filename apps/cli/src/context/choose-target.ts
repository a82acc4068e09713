import type { Credentials } from '@aosc/client';
import { ownValue } from '@aosc/contract';
import { UsageError } from '../failure';
import type { ConfigFile, ContextEntry } from './config-file';

/** The API that a command asks, and how. */
export interface Target {
  readonly url: string;
  readonly credentials?: Credentials;
  /** path of a PEM file */
  readonly caFile?: string | undefined;
  readonly allowPlainCredentials: boolean;
  /** the context that it comes from */
  readonly context?: string;
}

interface Choice {
  readonly url?: string | undefined;
  readonly context?: string | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

const defaultUrl = 'http://127.0.0.1:9650';

/**
 * Decides which API the command asks. Credentials come from the same place as the address: a variable or a flag that
 * names another installation never gets the credentials of this one. In this order: `--url`, `--context`,
 * `AOSC_API_URL`, `AOSC_CONTEXT`, the file's `current_context`, this machine.
 * @throws UsageError
 */
export function chooseTarget(choice: Choice, env: Env, file: ConfigFile | undefined, path: string): Target {
  if (choice.url !== undefined && choice.context !== undefined) {
    throw new UsageError('--url and --context name two addresses: give one of them');
  }
  if (choice.url !== undefined) return fromEnv(choice.url, env);
  if (choice.context !== undefined) return fromContext(choice.context, file, path);
  const url = given(env, 'AOSC_API_URL');
  if (url !== undefined) return fromEnv(url, env);
  const context = given(env, 'AOSC_CONTEXT') ?? file?.currentContext;
  return context === undefined ? fromEnv(defaultUrl, env) : fromContext(context, file, path);
}

function fromContext(name: string, file: ConfigFile | undefined, path: string): Target {
  if (file === undefined) throw new UsageError(`context [${name}]: there is no file ${path}`);
  const entry = ownValue(file.contexts, name);
  if (entry === undefined) {
    const known = Object.keys(file.contexts).sort().join(', ');
    throw new UsageError(`${path} has no context [${name}]; it has: ${known === '' ? 'none' : known}`);
  }
  const { url, ca_file: caFile, allow_plain_credentials: allow } = entry;
  const credentials = credentialsOf(entry);
  return {
    url,
    ...(credentials !== undefined && { credentials }),
    ...(caFile !== undefined && { caFile }),
    allowPlainCredentials: allow === true,
    context: name,
  };
}

function credentialsOf({ api_key: apiKey, username, password }: ContextEntry): Credentials | undefined {
  if (apiKey !== undefined) return { apiKey };
  return username === undefined || password === undefined ? undefined : { username, password };
}

function fromEnv(url: string, env: Env): Target {
  const caFile = given(env, 'AOSC_API_CA');
  const credentials = credentialsOfEnv(env);
  return {
    url,
    ...(credentials !== undefined && { credentials }),
    ...(caFile !== undefined && { caFile }),
    allowPlainCredentials: readPlainCredentials(env),
  };
}

function credentialsOfEnv(env: Env): Credentials | undefined {
  const apiKey = given(env, 'AOSC_API_KEY');
  const [username, password] = [given(env, 'AOSC_API_USERNAME'), given(env, 'AOSC_API_PASSWORD')];
  if ((username === undefined) !== (password === undefined)) {
    throw new UsageError('AOSC_API_USERNAME and AOSC_API_PASSWORD: set both or none');
  }
  if (apiKey !== undefined && username !== undefined) {
    throw new UsageError('AOSC_API_KEY and AOSC_API_USERNAME: set one of them');
  }
  if (apiKey !== undefined) return { apiKey };
  return username === undefined || password === undefined ? undefined : { username, password };
}

function readPlainCredentials(env: Env): boolean {
  const value = given(env, 'AOSC_API_PLAIN_CREDENTIALS') ?? 'on-loopback';
  if (value === 'on-loopback') return false;
  if (value === 'on-any-network') return true;
  throw new UsageError('AOSC_API_PLAIN_CREDENTIALS is on-loopback or on-any-network');
}

const given = (env: Env, name: string): string | undefined => {
  const value = ownValue(env, name)?.trim() ?? '';
  return value === '' ? undefined : value;
};
