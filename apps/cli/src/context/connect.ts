import { type AoscClient, createAoscClient, type Fetch } from '@aosc/client';
import { ConfigError, readTextFile } from '@aosc/config';
import { UsageError } from '../failure';
import type { Target } from './choose-target';

export interface Connection {
  readonly client: AoscClient;
  close(): Promise<void>;
}

/**
 * A client for the API. With an authority of its own it goes through undici, whose agents can be told of one.
 * @param fetch instead of both; each request is sent once then
 * @throws UsageError
 */
export async function connect(
  target: Target,
  timeoutMs: number | undefined,
  fetch?: Fetch,
): Promise<Connection> {
  const own =
    fetch === undefined && target.caFile !== undefined ? await fetchTrusting(target.caFile) : undefined;
  const { url, credentials, allowPlainCredentials } = target;
  const send = fetch ?? own?.fetch;
  try {
    const client = createAoscClient({
      url,
      allowPlainCredentials,
      ...(credentials !== undefined && { credentials }),
      ...(timeoutMs !== undefined && { timeoutMs, longTimeoutMs: timeoutMs }),
      ...(send !== undefined && { fetch: send }),
      ...(fetch !== undefined && { retry: { attempts: 1 } }),
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
