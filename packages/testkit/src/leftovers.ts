import { createHttpClient, type HttpClient } from './http/http-client';
import { callJson, UnexpectedAnswer } from './http/call-json';
import {
  parseAliases,
  parseAnything,
  parseFlatSettings,
  parsePointsInTime,
  parseSearchStats,
} from './http/shapes';

export interface LeftoverOptions {
  readonly urls: readonly string[];
  readonly source: string;
  readonly target: string;
  /** hash of the migration's id: looks for the names of this migration only; left out: for those of all */
  readonly key?: string;
  /** ids of points in time that the service had recorded */
  readonly pitIds?: readonly string[];
  /** target settings as they were before the migration, flat; null: the setting was not set */
  readonly targetSettings?: Readonly<Record<string, string | null>>;
  /** the migration has made the target, and was given up: it takes it away */
  readonly targetRemoved?: boolean;
  /** source settings as they were before, in the same way; left out: none of those that a write hold sets */
  readonly sourceSettings?: Readonly<Record<string, string | null>>;
  /** the source was left write-blocked on purpose (the default after a success) */
  readonly writeBlockExpected?: boolean;
}

const prefix = 'aosc-';
/** A hold gives these back last, or with the last. */
const unheld: Readonly<Record<string, null>> = {
  'index.routing.allocation.enable': null,
  'index.write.wait_for_active_shards': null,
};

/**
 * What a migration that has ended left behind: hidden aliases (fences, commit token), ingest pipelines, open
 * points in time on source or target, the write block, settings of the target that were not put back.
 * @returns one line for each; empty when all is clean
 */
export async function findLeftovers(options: LeftoverOptions): Promise<string[]> {
  const http = createHttpClient(options.urls);
  try {
    const parts = await Promise.all([
      findAliases(http, options),
      findPipelines(http, options),
      findPointsInTime(http, options),
      findSettings(http, options),
    ]);
    return parts.flat();
  } finally {
    http.close();
  }
}

const isOurs = (name: string, key: string | undefined): boolean =>
  name.startsWith(prefix) && (key === undefined || name.includes(key));

async function findAliases(http: HttpClient, { source, target, key }: LeftoverOptions): Promise<string[]> {
  const indices = await callJson(http, parseAliases, 'GET', '/_alias?expand_wildcards=all');
  return Object.entries(indices)
    .filter(([index]) => key !== undefined || index === source || index === target)
    .flatMap(([index, { aliases }]) =>
      Object.keys(aliases)
        .filter((name) => isOurs(name, key))
        .map((name) => `alias ${name} on ${index}`),
    );
}

async function findPipelines(http: HttpClient, { key }: LeftoverOptions): Promise<string[]> {
  const pipelines = await emptyWhenNotFound(() =>
    callJson(http, parseAnything, 'GET', `/_ingest/pipeline/${prefix}*`),
  );
  return Object.keys(pipelines)
    .filter((name) => isOurs(name, key))
    .map((name) => `ingest pipeline ${name}`);
}

async function findPointsInTime(
  http: HttpClient,
  { source, target, pitIds = [] }: LeftoverOptions,
): Promise<string[]> {
  const path = `/${[source, target].map(encodeURIComponent).join(',')}/_stats/search?ignore_unavailable=true`;
  const { indices } = await callJson(http, parseSearchStats, 'GET', path);
  const open = Object.entries(indices)
    .map(([index, { total }]) => ({ index, count: total.search.point_in_time_current }))
    .filter(({ count }) => count > 0)
    .map(({ index, count }) => `${count} open points in time on shards of ${index}`);
  const { pits } = await callJson(http, parsePointsInTime, 'GET', '/_search/point_in_time/_all');
  const ids = pits.map(({ pit_id: pitId }) => pitId);
  // Those of a node that was away are in no stats: their shard is not assigned there any more, but it is held.
  const held = [source, target]
    .filter((index) => !open.some((line) => line.endsWith(` ${index}`)))
    .map((index) => ({ index, count: ids.filter((pitId) => isOfIndex(pitId, index)).length }))
    .filter(({ count }) => count > 0)
    .map(({ index, count }) => `${count} points in time hold shards of ${index} that are not assigned`);
  return [
    ...open,
    ...held,
    ...pitIds.filter((pitId) => ids.includes(pitId)).map((pitId) => `recorded point in time ${pitId}`),
  ];
}

/** An id is base64 of what the search needs, the names of the indices included, each after its length. */
export function isOfIndex(pitId: string, index: string): boolean {
  const text = Buffer.from(pitId, 'base64').toString('latin1');
  return text.includes(String.fromCharCode(index.length) + index);
}

async function findSettings(http: HttpClient, options: LeftoverOptions): Promise<string[]> {
  const {
    source,
    target,
    targetSettings = {},
    targetRemoved,
    sourceSettings = unheld,
    writeBlockExpected = false,
  } = options;
  const path = `/${[source, target].map(encodeURIComponent).join(',')}/_settings?flat_settings=true&ignore_unavailable=true`;
  const indices = await callJson(http, parseFlatSettings, 'GET', path);
  const problems: string[] = [];
  const blocked = indices[source]?.settings['index.blocks.write'] === 'true';
  if (blocked !== writeBlockExpected) {
    problems.push(`${source} is ${blocked ? '' : 'not '}write-blocked`);
  }
  if (targetRemoved && indices[target] !== undefined) problems.push(`${target} is still there`);
  const compared = [
    { index: target, before: targetRemoved ? {} : targetSettings },
    { index: source, before: sourceSettings },
  ];
  for (const { index, before } of compared) {
    // A source may be gone, which is not the migration's doing.
    const settings = indices[index]?.settings ?? (index === source ? before : {});
    for (const [name, original] of Object.entries(before)) {
      const now = settings[name] ?? null;
      if (now !== original) problems.push(`${name} of ${index} is ${String(now)}, was ${String(original)}`);
    }
  }
  return problems;
}

async function emptyWhenNotFound(call: () => Promise<unknown>): Promise<object> {
  try {
    const answer = await call();
    return typeof answer === 'object' && answer !== null ? answer : {};
  } catch (error) {
    if (error instanceof UnexpectedAnswer && error.answer.status === 404) return {};
    throw error;
  }
}
