import { parseArgs } from 'node:util';

export interface Flags {
  readonly nodes: number;
  readonly workers: number;
  readonly apiPort: number;
}

export const usage = `usage: npm run stack -- [--nodes N] [--workers N]

Starts a local OpenSearch (N nodes, default 1), Redis, and the service (API, scheduler, N workers, default 1) and
keeps them until Ctrl-C. AOSC_OPENSEARCH_URL and AOSC_REDIS_URL name servers to use instead; AOSC_API_PORT (default
9650) is where the API listens.`;

/** A wrong command line or port; the message is for the person who typed it. */
export class UsageError extends Error {}

const defaultApiPort = 9650;

/**
 * @returns undefined when the user asked for the usage
 * @throws UsageError
 */
export function readFlags(args: readonly string[], env: NodeJS.ProcessEnv): Flags | undefined {
  const { nodes, workers, help } = parse(args);
  if (help) return undefined;
  return {
    nodes: readCount('--nodes', nodes, 1, 9),
    workers: readCount('--workers', workers, 0, 64),
    apiPort: readCount('AOSC_API_PORT', env['AOSC_API_PORT'] ?? String(defaultApiPort), 1, 65_535),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        nodes: { type: 'string', default: '1' },
        workers: { type: 'string', default: '1' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function readCount(name: string, text: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`${name} must be a number from ${min} to ${max}, not ${text}`);
}
