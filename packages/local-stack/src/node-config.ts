type SettingValue = string | number | boolean | readonly string[];
export type Settings = Readonly<Record<string, SettingValue>>;
type NodeRole = 'cluster_manager' | 'data' | 'ingest' | 'search';

/** For how long servers are started. */
export type Lifetime = 'short' | 'long';

/** One node as the caller wants it. */
export interface NodeOptions {
  /** Default: `node-1`, `node-2`, ... */
  readonly name?: string;
  /** Default: all of them. */
  readonly roles?: readonly NodeRole[];
  readonly heapMb?: number;
  /** Lines for this node's `opensearch.yml`; they win over those of the whole cluster. */
  readonly settings?: Settings;
}

/** One node as it is started. */
export interface NodePlan {
  readonly name: string;
  readonly roles: readonly NodeRole[] | undefined;
  readonly heapMb: number;
  readonly lifetime: Lifetime;
  readonly httpPort: number;
  readonly transportPort: number;
  readonly settings: Settings;
}

const singleHeapMb = 1024;
const sharedHeapMb = 768;

/**
 * Gives every node its name, ports and heap.
 * @param ports two for each node
 * @throws Error when no node may become cluster manager, or when a name is there twice
 */
export function planNodes(
  nodes: readonly NodeOptions[],
  ports: readonly number[],
  common: {
    readonly heapMb?: number | undefined;
    readonly lifetime?: Lifetime | undefined;
    readonly settings?: Settings | undefined;
  },
): readonly NodePlan[] {
  const plans = nodes.map(({ name, roles, heapMb, settings }, index): NodePlan => {
    const [httpPort, transportPort] = ports.slice(2 * index);
    if (httpPort === undefined || transportPort === undefined) throw new Error('Every node needs two ports');
    return {
      name: name ?? `node-${index + 1}`,
      roles,
      heapMb: heapMb ?? common.heapMb ?? (nodes.length === 1 ? singleHeapMb : sharedHeapMb),
      lifetime: common.lifetime ?? 'short',
      httpPort,
      transportPort,
      settings: { ...common.settings, ...settings },
    };
  });
  if (!plans.some(isEligible)) throw new Error('No node of the local stack may become cluster manager');
  if (new Set(plans.map(({ name }) => name)).size < plans.length) throw new Error('Two nodes have one name');
  return plans;
}

/** Lines that make every node keep its indices in a repository which is a folder of this machine. */
export function remoteStoreSettings(folder: string): Settings {
  const attributes = 'node.attr.remote_store';
  const name = 'remote';
  return {
    'path.repo': [folder],
    [`${attributes}.segment.repository`]: name,
    [`${attributes}.translog.repository`]: name,
    [`${attributes}.state.repository`]: name,
    [`${attributes}.repository.${name}.type`]: 'fs',
    [`${attributes}.repository.${name}.settings.location`]: folder,
  };
}

function isEligible({ roles }: NodePlan): boolean {
  return roles === undefined || roles.includes('cluster_manager');
}

/**
 * `opensearch.yml` of one node. The first node that may become cluster manager forms the cluster by itself, so it never
 * depends on which node comes up first.
 */
export function renderOpenSearchYml(
  plan: NodePlan,
  all: readonly NodePlan[],
  folders: { readonly data: string; readonly logs: string },
): string {
  const eligible = all.filter(isEligible);
  const settings: Settings = {
    'cluster.name': 'aosc-local-stack',
    'node.name': plan.name,
    ...(plan.roles && { 'node.roles': plan.roles }),
    'path.data': folders.data,
    'path.logs': folders.logs,
    'network.host': '127.0.0.1',
    'http.port': plan.httpPort,
    'transport.port': plan.transportPort,
    'discovery.seed_hosts': eligible.map(({ transportPort }) => `127.0.0.1:${transportPort}`),
    ...(plan === eligible[0] && { 'cluster.initial_cluster_manager_nodes': [plan.name] }),
    // a disk filled by other things must neither move shards nor block writes
    'cluster.routing.allocation.disk.threshold_enabled': false,
    ...plan.settings,
  };
  // a JSON value is a YAML value
  return Object.entries(settings)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('');
}

/** Everything to stdout, which goes to the node's log file: one place to look at. */
export const log4j2Properties = `status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{ISO8601} %-5p %c{1.} %m%n
rootLogger.level = info
rootLogger.appenderRef.console.ref = console
logger.deprecation.name = org.opensearch.deprecation
logger.deprecation.level = off
`;
