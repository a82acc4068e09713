import { type AppConfig, readOpenSearchAccess } from '@aosc/config';
import { type Call, isClusterError } from '@aosc/engine';
import {
  createClient,
  createClusterPorts,
  createSecurityPort,
  type OpenSearchClient,
  readSnapshotRoom,
  requestJson,
  snapshotLimitSetting,
} from '@aosc/opensearch';
import { describeMissing, examinePrivileges } from '@aosc/runtime';
import { timeLimit } from '@aosc/signals';
import { systemIndex } from '@aosc/store';
import {
  fail,
  type Finding,
  type Judgement,
  judgeClock,
  judgeRoundTrip,
  judgeSnapshotRoom,
  judgeVersion,
  look,
  ok,
  type Planned,
  skipped,
  warn,
} from './finding';
import {
  findBlocks,
  findTemplates,
  parseClusterSettings,
  parseHealth,
  parseNodeClocks,
  parseRoot,
} from './opensearch-answers';
import { findTraps } from './traps';

const limitMs = 15_000;
const samples = 5;
const perShard = 2;
const adviceAway =
  'Check AOSC_OPENSEARCH_URL, its user and AOSC_OPENSEARCH_CA, and that this machine may connect.';

const adviceLook = 'Read the message, check the names that you gave, and run doctor again.';

/** The cluster as the service would see it from here. Nothing is changed. */
export async function examineOpenSearch(
  config: AppConfig<'worker'>,
  planned: Planned,
  signal: AbortSignal,
): Promise<{ readonly findings: readonly Finding[]; readonly clusterUuid?: string }> {
  const { openSearchUrls: nodes, requestTimeoutMs } = config;
  const client = createClient({ nodes, requestTimeoutMs, ...readOpenSearchAccess(config) });
  const newCall = (): Call => ({
    signal: timeLimit(limitMs, signal),
    opaqueId: 'aosc-doctor',
    timeoutMs: limitMs,
  });
  const asked = { client, newCall };
  try {
    const seen: { clusterUuid?: string } = {};
    const reached = await look('opensearch', 'version', adviceAway, async () => {
      // The first question of every process of the service: is it OpenSearch at all?
      const uuid = await createClusterPorts(client).uuid(newCall());
      const judged = await examineVersion(asked);
      seen.clusterUuid = uuid;
      return judged;
    });
    // After an old version the rest is still worth a look; after no answer, or an answer of another product, it is not.
    if (seen.clusterUuid === undefined) return { findings: reached };
    const looked = (check: string, act: () => Promise<Judgement | readonly Judgement[]>) =>
      look('opensearch', check, adviceLook, () => unlessForbidden(act));
    const rest = await Promise.all([
      looked('health', () => examineHealth(asked)),
      looked('blocks', () => examineBlocks(asked)),
      looked('clocks', () => examineClocks(asked)),
      looked('points in time', () => examineRoom(asked, planned)),
      looked('templates', () => examineTemplates(asked)),
      look('opensearch', 'permissions', adviceLook, () => examinePermissions(asked, planned)),
    ]);
    const trips = await look('opensearch', 'round trip', adviceAway, async () =>
      judgeRoundTrip(await measure(asked)),
    );
    return { findings: [...reached, ...rest.flat(), ...trips], ...seen };
  } finally {
    await client.close();
  }
}

/** The service needs less than `doctor` looks at, so it is no flaw when its user may not see something. */
async function unlessForbidden(
  act: () => Promise<Judgement | readonly Judgement[]>,
): Promise<Judgement | readonly Judgement[]> {
  try {
    return await act();
  } catch (error) {
    if (isClusterError(error, 'forbidden')) return skipped(`the user may not see it: ${error.message}`);
    throw error;
  }
}

interface Asked {
  readonly client: OpenSearchClient;
  readonly newCall: () => Call;
}

async function examineVersion({ client, newCall }: Asked) {
  const { version } = await requestJson(client, { method: 'GET', path: '/' }, parseRoot, newCall());
  return judgeVersion(version.number);
}

async function examineHealth({ client, newCall }: Asked) {
  const { status } = await requestJson(
    client,
    { method: 'GET', path: '/_cluster/health' },
    parseHealth,
    newCall(),
  );
  if (status === 'red')
    return fail('red: primaries are missing', 'GET _cluster/allocation/explain says why.');
  return ok(status);
}

async function examineBlocks({ client, newCall }: Asked) {
  const what = { method: 'GET', path: '/_cluster/settings', query: { flat_settings: true } } as const;
  const blocks = findBlocks(await requestJson(client, what, parseClusterSettings, newCall()));
  if (blocks.length === 0) return ok('no setting of the cluster is in the way');
  return blocks.map(({ setting, why, isFatal }) =>
    (isFatal ? fail : warn)(`${setting}: ${why}`, `PUT _cluster/settings with "${setting}": null`),
  );
}

async function examineClocks({ client, newCall }: Asked) {
  const what = {
    method: 'GET',
    path: '/_nodes/stats/os',
    query: { filter_path: 'nodes.*.name,nodes.*.timestamp' },
  } as const;
  const sent = Date.now();
  const { nodes } = await requestJson(client, what, parseNodeClocks, newCall());
  const got = Date.now();
  return Object.values(nodes).map(({ name, timestamp }) =>
    judgeClock(`the clock of node ${name}`, timestamp - (sent + got) / 2, (got - sent) / 2),
  );
}

async function examineRoom({ client, newCall }: Asked, { source }: Planned) {
  const room = await readSnapshotRoom(client, newCall());
  const routing = source === undefined ? undefined : await readRouting(client, source, newCall());
  return [...room.nodes].map(([id, { name, open }]) => {
    const primaries = routing?.primaries.filter(({ nodeId }) => nodeId === id).length ?? 0;
    return judgeSnapshotRoom(name, open, room.limit, primaries * perShard, snapshotLimitSetting);
  });
}

/** @returns undefined when there is no such index, which the plan reports */
async function readRouting(client: OpenSearchClient, source: string, call: Call) {
  const { state } = createClusterPorts(client).index(source);
  return state.readRouting(call).catch((error: unknown) => {
    if (isClusterError(error, 'not_found')) return undefined;
    throw error;
  });
}

async function examineTemplates({ client, newCall }: Asked) {
  const traps = findTraps(await findTemplates(client, newCall), systemIndex);
  if (traps.length === 0) return ok(`no template changes ${systemIndex}`);
  return traps.map(({ template, pattern, settings }) =>
    warn(
      `template [${template}] takes ${systemIndex} by its pattern [${pattern}] and sets ${settings.join(', ')}`,
      'Change its patterns so that they match no name with a dot in front, before the service makes its index.',
    ),
  );
}

async function examinePermissions({ client, newCall }: Asked, { source, target, alias }: Planned) {
  if (source === undefined || target === undefined) {
    return skipped('give --source and --target (and --alias) to have the permissions on them checked');
  }
  const ports = { cluster: createClusterPorts(client), security: createSecurityPort(client) };
  const report = await examinePrivileges(ports, { source, target, alias: alias ?? source }, newCall());
  if (report === undefined) return ok('no security plugin: everybody may do everything');
  const { user, missing, optional, restrictions } = report;
  const role = 'Give the user the role of docs/how-to/opensearch-user.md.';
  const found = [
    ...(missing.size > 0 ? [fail(describeMissing(user, missing), role)] : []),
    ...restrictions.map((problem) => fail(problem, 'Take these rules out of its roles.')),
    ...(optional.size > 0
      ? [warn(`${describeMissing(user, optional)}; some waits are longer without them`, role)]
      : []),
  ];
  return found.length === 0 ? ok(`user ${user} has what a migration of ${source} needs`) : found;
}

async function measure({ client, newCall }: Asked): Promise<readonly number[]> {
  const times: number[] = [];
  for (let n = 0; n < samples; n++) {
    const start = performance.now();
    await requestJson(client, { method: 'GET', path: '/' }, parseRoot, newCall());
    times.push(performance.now() - start);
  }
  return times;
}
