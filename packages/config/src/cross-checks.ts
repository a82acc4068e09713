import { isLoopback } from './loopback';
import { findRedisProblems, readUrls } from './redis-checks';
import { type Variables, variables } from './variables';

type Key = keyof Variables;
type NumberKey = {
  [K in Key]: Variables[K] extends { type: { parse(text: string): infer P } }
    ? Extract<P, { value: number }> extends never
      ? never
      : K
    : never;
}[Key];

/** A rule between two durations: `lower * factor <= upper`. */
interface OrderRule {
  readonly lower: NumberKey;
  readonly upper: NumberKey;
  readonly factor: number;
  /** what would go wrong */
  readonly otherwise: string;
}

/** Rules between variables. A rule applies to an app that reads both. */
const orderRules: readonly OrderRule[] = [
  {
    lower: 'replayIntervalMs',
    upper: 'snapshotKeepAliveMs',
    factor: 4,
    otherwise: 'snapshots of shards at rest would expire, and each costs a comparison of the whole shard',
  },
  {
    lower: 'heartbeatMs',
    upper: 'lockDurationMs',
    factor: 2,
    otherwise: 'a healthy worker could look dead, and another one would take its shard over and over',
  },
  {
    lower: 'stalledCheckMs',
    upper: 'lockDurationMs',
    factor: 1,
    otherwise: 'the jobs of a dead worker would wait for longer than their lock lasts',
  },
  {
    lower: 'heartbeatMs',
    upper: 'snapshotKeepAliveMs',
    factor: 4,
    otherwise:
      'snapshots would expire between two extensions, and each costs a comparison of the whole shard',
  },
  {
    lower: 'requestTimeoutMs',
    upper: 'snapshotKeepAliveMs',
    factor: 2,
    otherwise: 'one slow answer would cost the snapshot it was read from',
  },
  {
    lower: 'reconcileIntervalMs',
    upper: 'writeBlockMaxMs',
    factor: 2,
    otherwise: 'a write block that lasts too long would be noticed too late',
  },
  {
    lower: 'requestTimeoutMs',
    upper: 'guardMs',
    factor: 1,
    otherwise: 'a write block that was asked for and lands late would stay when no scheduler looks any more',
  },
];

/**
 * @returns the contradictions between variables that are each valid by themselves; a key that the app does not read is
 *   absent
 */
export function findContradictions(values: ReadonlyMap<string, unknown>): readonly string[] {
  return [
    ...findDisorder(values),
    ...findHalves(values),
    ...findSigningConflicts(values),
    ...findRedisProblems(values),
    ...findExposure(values),
    ...findPlainPassword(values),
  ];
}

function findDisorder(values: ReadonlyMap<string, unknown>): readonly string[] {
  return orderRules.flatMap(({ lower, upper, factor, otherwise }) => {
    const [low, high] = [values.get(lower), values.get(upper)];
    if (typeof low !== 'number' || typeof high !== 'number' || low * factor <= high) return [];
    const min = factor === 1 ? '' : `${factor} times `;
    return [
      `${variables[upper].name} (${high}) must be at least ${min}${variables[lower].name} (${low}): otherwise ${otherwise}`,
    ];
  });
}

/** Variables that only make sense together. */
const pairs: readonly (readonly [Key, Key])[] = [
  ['apiTlsCert', 'apiTlsKey'],
  ['openSearchClientCert', 'openSearchClientKey'],
  ['openSearchUsername', 'openSearchPasswordFile'],
  ['redisClientCert', 'redisClientKey'],
];

const isSet = (values: ReadonlyMap<string, unknown>, key: Key) => (values.get(key) ?? '') !== '';

function findHalves(values: ReadonlyMap<string, unknown>): readonly string[] {
  return pairs.flatMap(([one, other]) => {
    if (isSet(values, one) === isSet(values, other)) return [];
    const [given, missing] = isSet(values, one) ? [one, other] : [other, one];
    return [`${variables[given].name} is set and ${variables[missing].name} is not: set both or none`];
  });
}

/**
 * A request is signed or carries a password, not both. A signature's session token is as good as a password, so it must
 * not go in the clear.
 */
function findSigningConflicts(values: ReadonlyMap<string, unknown>): readonly string[] {
  const region = variables.openSearchAwsRegion.name;
  if (!isSet(values, 'openSearchAwsRegion')) {
    return values.get('openSearchAwsService') === 'aoss'
      ? [`${variables.openSearchAwsService.name} is set and ${region} is not: nothing would be signed`]
      : [];
  }
  const urls = readUrls(values.get('openSearchUrls'));
  return [
    ...(isSet(values, 'openSearchUsername')
      ? [
          `${region} and ${variables.openSearchUsername.name} are both set: requests are signed or carry a password`,
        ]
      : []),
    ...(urls.some(({ username, password }) => username !== '' || password !== '')
      ? [
          `${region} is set and ${variables.openSearchUrls.name} holds a user: requests are signed or carry a password`,
        ]
      : []),
    ...(urls.some(({ protocol }) => protocol !== 'https:')
      ? [
          `${region} needs https:// in ${variables.openSearchUrls.name}: a session token must not cross a network in the clear`,
        ]
      : []),
  ];
}

function findExposure(values: ReadonlyMap<string, unknown>): readonly string[] {
  const apiHost = values.get('apiHost');
  if (typeof apiHost !== 'string' || isLoopback(apiHost) || isSet(values, 'authFile')) return [];
  const { apiHost: host, apiAllowUnauthenticated, apiAllowedHosts, authFile } = variables;
  if (values.get('apiAllowUnauthenticated') !== 'on-any-address') {
    return [
      `${host.name} (${apiHost}) is not a loopback address, and the API has no authentication: ` +
        'any client that reaches it could start and cancel migrations. ' +
        `Set ${authFile.name}, listen on 127.0.0.1, or set ${apiAllowUnauthenticated.name}=on-any-address when something in front of it guards it`,
    ];
  }
  const allowed = values.get('apiAllowedHosts');
  if (!Array.isArray(allowed) || allowed.length > 0) return [];
  return [
    `${apiAllowedHosts.name} is not set, and the API has no authentication on ${apiHost}: any web page that a user near it ` +
      'opens could have its own name point here, and do whatever the API does. Set it to the names that the API is asked by',
  ];
}

/** Everyone on the way can read an unencrypted password, and send it again. */
function findPlainPassword(values: ReadonlyMap<string, unknown>): readonly string[] {
  if (values.get('openSearchPlainPassword') !== 'on-loopback') return [];
  const exposed = readUrls(values.get('openSearchUrls'))
    .filter(({ protocol, hostname }) => protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, '')))
    .find(({ username, password }) => isSet(values, 'openSearchUsername') || username + password !== '');
  if (exposed === undefined) return [];
  return [
    `${variables.openSearchUrls.name} has a password sent to ${exposed.host} over http://: everybody on the way could read it. ` +
      `Use https://, or set ${variables.openSearchPlainPassword.name}=on-any-network when you trust that network`,
  ];
}
