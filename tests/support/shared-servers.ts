import { type Stack, startStack } from '@aosc/local-stack';
import { within } from '@aosc/signals';
import type { LentServers } from '@aosc/testkit';
import { type ClusterWide, clearServers, findTraces, readClusterWide, removeNew } from './traces-left';

/**
 * The servers that the integration files of one jest worker share. Jest keeps this module over all files of the worker,
 * because it loads a test environment outside of the files' own modules. The servers end with the worker's process,
 * however it ends, as each local stack does.
 */
let running: Promise<Stack> | undefined;

/** Starts them at the first call, and anew when the ones before have ended or are not as the check had left them. */
export async function lendServers(): Promise<LentServers> {
  if (running !== undefined) {
    const changed = await findChanges(await running);
    if (changed.length > 0) {
      console.warn(`New servers, because an earlier file has left after its end:\n${changed.join('\n')}`);
      await dropServers();
    }
  }
  const starting = (running ??= startStack());
  try {
    const { nodes, openSearchUrls, redisUrl, redis } = await starting;
    const [openSearchUrl = ''] = openSearchUrls;
    return { openSearchUrl, redisUrl, logFiles: [...nodes, redis].map(({ logFile }) => logFile) };
  } catch (error) {
    running = undefined;
    throw error;
  }
}

function findChanges(stack: Stack): Promise<readonly string[]> {
  const ended = [...stack.nodes, stack.redis].filter((server) => !server.isRunning());
  if (ended.length > 0) return Promise.resolve(ended.map(({ name }) => `${name}, which has ended`));
  return orUnusable(() => findTraces(stack));
}

/** What is there cluster-wide before a test. @throws when the servers can not be read */
export async function lookBefore(): Promise<readonly ClusterWide[]> {
  const stack = await running;
  return stack === undefined ? [] : bounded(readClusterWide(stack));
}

/** Takes away what a test has added cluster-wide. @returns a line for each thing */
export async function lookAfter(before: readonly ClusterWide[]): Promise<readonly string[]> {
  const stack = await running;
  return stack === undefined ? [] : orUnusable(() => removeNew(stack, before));
}

/**
 * Reads what a file has left, and removes what it may leave. The next file gets new servers when this one left more, or
 * failed: what a failed test has begun may still go on.
 * @returns a line for each thing that it should not have left
 */
export async function takeBack(hasFailed: boolean): Promise<readonly string[]> {
  const stack = await running;
  if (stack === undefined) return [];
  const left = await orUnusable(async () => {
    const traces = await findTraces(stack);
    if (traces.length === 0) await clearServers(stack);
    return traces;
  });
  if (hasFailed || left.length > 0) await dropServers();
  return left;
}

/** The next file gets new ones. */
export async function dropServers(): Promise<void> {
  const dropped = running;
  running = undefined;
  await (await dropped)?.stop();
}

async function orUnusable(look: () => Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await bounded(look());
  } catch (error) {
    return [`servers that can not be read or cleared: ${String(error)}`];
  }
}

const lookMs = 180_000;

/** A stopped server takes requests and never answers. */
async function bounded<T>(look: Promise<readonly T[]>): Promise<readonly T[]> {
  const found = await within(lookMs, look);
  if (found === undefined) throw new Error(`no answer in ${lookMs} ms`);
  return found;
}
