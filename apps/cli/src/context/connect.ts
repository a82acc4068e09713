import { type AoscClient, createAoscClient, type Fetch } from '@aosc/client';
import { ConfigError, readTextFile } from '@aosc/config';
import { UsageError } from '../failure';
import type { Target } from './choose-target';

export interface Connection {
  readonly client: AoscClient;
  close(): Promise<void>;
}

interface ConnectOptions {
  readonly timeoutMs: number | undefined;
  readonly isTriedOnce: boolean;
  readonly wrap: (send: Fetch) => Fetch;
}

/**
 * A client for the API. With a certificate authority of its own it goes through undici, whose agents take one.
 * @param options.wrap stands between the client and the function that sends
 * @throws UsageError
 */
export async function connect(
  target: Target,
  { timeoutMs, isTriedOnce, wrap }: ConnectOptions,
): Promise<Connection> {
  const own = target.caFile === undefined ? undefined : await fetchTrusting(target.caFile);
  const { url, credentials, allowPlainCredentials } = target;
  const plain: Fetch = own?.fetch ?? ((to, init) => fetch(to, init));
  try {
    const client = createAoscClient({
      url,
      allowPlainCredentials,
      ...(credentials !== undefined && { credentials }),
      ...(timeoutMs !== undefined && { timeoutMs, longTimeoutMs: timeoutMs }),
      fetch: wrap(plain),
      ...(isTriedOnce && { retry: { attempts: 1 } }),
    });
    return { client, close: async () => own?.close() };
  } catch (error) {
    if (error instanceof TypeError)
      throw new UsageError(`The address of the API: ${error.message}`, { cause: error });
    throw error;
  }
}

async function fetchTrusting(caFile: string): Promise<{ readonly fetch: Fetch; close(): Promise<void> }> {
  const ca = readCa(caFile);
  const { Agent, fetch } = await import('undici');
  const dispatcher = new Agent({ connect: { ca } });
  return {
    fetch: (url, init) => fetch(url, { ...init, dispatcher }),
    close: () => dispatcher.close(),
  };
}

function readCa(path: string): string {
  try {
    const text = readTextFile('ca_file or AOSC_API_CA', path);
    if (text.includes('-----BEGIN ')) return text;
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.problems.join('; '));
    throw error;
  }
  throw new UsageError(`${path} is not PEM: there is no line with -----BEGIN`);
}
