import type { NodeOptions, StackOptions } from '@aosc/local-stack';
import { callJson, callRaw, type HttpClient, type Random } from '@aosc/testkit';
import { createParser } from '@aosc/contract';
import { Type } from '@sinclair/typebox';

/** Kinds of clusters that random migrations run on. */
export const grounds = ['plain', 'weighted_zones', 'search_replicas'] as const;
export type Ground = (typeof grounds)[number];

const shares: readonly (readonly [Ground, number])[] = [
  ['weighted_zones', 0.15],
  ['search_replicas', 0.15],
];
const zones = ['a', 'b', 'c'] as const;
const attribute = 'zone';

/**
 * Search replicas come with 3.x, and a cluster that is given is taken as it is.
 * @param chosen instead; the numbers that follow stay the same
 */
export function drawGround(
  random: Random,
  chosen?: Ground,
  environment: NodeJS.ProcessEnv = process.env,
): Ground {
  const drawn = random.next();
  if (chosen !== undefined) return chosen;
  const { AOSC_OPENSEARCH_URL: given = '', AOSC_OPENSEARCH_VERSION: version = '' } = environment;
  if (given !== '') return 'plain';
  let sum = 0;
  const [ground = 'plain'] = shares.find(([, share]) => drawn < (sum += share)) ?? [];
  return ground === 'search_replicas' && version.startsWith('2.') ? 'plain' : ground;
}

/** @param nodes of a plain cluster: as many in zones, and one more that only searches */
export function groundOptions(
  ground: Ground,
  nodes: readonly NodeOptions[],
): StackOptions & { readonly nodes: readonly NodeOptions[] } {
  switch (ground) {
    case 'plain':
      return { nodes };
    case 'weighted_zones':
      return {
        nodes: nodes.map((node, at) => ({
          ...node,
          settings: { [`node.attr.${attribute}`]: zones[at % zones.length] ?? '' },
        })),
        openSearchSettings: { 'cluster.routing.allocation.awareness.attributes': attribute },
      };
    case 'search_replicas':
      return {
        remoteStore: true,
        nodes: [
          ...nodes.map((node) => ({ ...node, roles: ['cluster_manager', 'data', 'ingest'] as const })),
          { name: 'searcher', heapMb: 400, roles: ['search'] },
        ],
      };
  }
}

const parseWeights = createParser(
  'answer of weights',
  Type.Object({ _version: Type.Optional(Type.Integer()) }),
);

/** The last zone stands by: searches without a preference never reach its copies. @param nodes how many data nodes there are */
export async function prepareGround(http: HttpClient, ground: Ground, nodes: number): Promise<void> {
  if (ground !== 'weighted_zones') return;
  const path = `/_cluster/routing/awareness/${attribute}/weights`;
  const { _version = -1 } = await callJson(http, parseWeights, 'GET', path);
  const used = zones.slice(0, nodes);
  const weights = Object.fromEntries(used.map((zone) => [zone, zone === used.at(-1) ? '0' : '1']));
  await callRaw(http, { method: 'PUT', path, body: JSON.stringify({ weights, _version }) });
}

/** Of both indices: a search replica fetches what it lacks by the interval of the refreshes. */
export const searchReplicaSettings = {
  'index.number_of_search_replicas': 1,
  'index.refresh_interval': '10s',
} as const;

const parseCount = createParser('answer of _count', Type.Object({ count: Type.Integer() }));

/** What searches through a name find now, one after the other, as they go from copy to copy: nothing is refreshed for them. */
export async function countBySearches(
  ask: (method: 'POST', path: string, body: object) => Promise<unknown>,
  name: string,
  query: object,
  { preference, times = 6 }: { readonly preference?: string; readonly times?: number } = {},
): Promise<readonly number[]> {
  const counts: number[] = [];
  const path = `/${name}/_count${preference === undefined ? '' : `?preference=${preference}`}`;
  for (let n = 0; n < times; n += 1) counts.push(parseCount(await ask('POST', path, { query })).count);
  return counts;
}
