import { chownSync, cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from './child';
import { adaptJvmOptions } from './jvm-options';
import { log4j2Properties, type NodePlan, renderOpenSearchYml } from './node-config';
import { type RunAs } from './run-as';
import { type RunFolder } from './run-folder';
import { launchServer, type LaunchedServer } from './server';
import { logTail } from './log-tail';
import { type Security, securityFiles } from './security-config';
import { answersOkSecured } from './secured-answer';
import { answersOk, waitUntil } from './wait-until';

export interface NodeContext {
  readonly distribution: string;
  /** It is the user's: its plugins may have configuration of their own in it. */
  readonly isGiven: boolean;
  readonly javaHome: string;
  readonly runAs: RunAs | undefined;
  readonly folder: RunFolder;
  readonly plans: readonly NodePlan[];
  readonly security: Security | undefined;
  /** How many nodes the cluster should have now: the running ones. */
  countRunning(): number;
}

const readyTimeoutMs = 180_000;

/**
 * Launches one OpenSearch node with a configuration folder of its own, so that all nodes share one unpacked
 * distribution and write nothing into it.
 */
export async function launchNode(plan: NodePlan, context: NodeContext): Promise<LaunchedServer> {
  const { folder, runAs, security } = context;
  const home = folder.make(plan.name);
  const config = folder.make(plan.name, 'config');
  const data = folder.make(plan.name, 'data');
  const temporary = folder.make(plan.name, 'tmp');
  if (context.isGiven) copyPluginConfig(join(context.distribution, 'config'), config, folder);
  writeConfig(config, runAs, {
    'opensearch.yml': renderOpenSearchYml(plan, context.plans, { data, logs: home }),
    'log4j2.properties': log4j2Properties,
    'jvm.options': adaptJvmOptions(readFileSync(join(context.distribution, 'config/jvm.options'), 'utf8'), {
      heapMb: plan.heapMb,
      lifetime: plan.lifetime,
      logFolder: folder.logs,
      dataFolder: home,
    }),
  });
  if (security !== undefined) {
    writeConfig(config, runAs, { 'node.pem': security.certificate, 'node-key.pem': security.key });
    const rules = folder.make(plan.name, 'config', 'opensearch-security');
    writeConfig(rules, runAs, await securityFiles(context.distribution));
  }
  const url = `${security === undefined ? 'http' : 'https'}://127.0.0.1:${plan.httpPort}`;
  const answers = (path: string, signal: AbortSignal) =>
    security === undefined ? answersOk(path, signal) : answersOkSecured(path, security, signal);
  return launchServer({
    name: plan.name,
    url,
    launch: () =>
      startChild({
        name: `OpenSearch ${plan.name}`,
        command: join(context.distribution, 'bin/opensearch'),
        args: [],
        // nothing of the caller's environment: OPENSEARCH_JAVA_OPTS and the like would change the node
        env: {
          PATH: process.env['PATH'],
          HOME: home,
          OPENSEARCH_JAVA_HOME: context.javaHome,
          OPENSEARCH_PATH_CONF: config,
          OPENSEARCH_TMPDIR: temporary,
        },
        cwd: home,
        logFile: join(folder.logs, `${plan.name}.log`),
        runAs,
      }),
    waitUntilReady: (endedBy, logFile) =>
      waitUntil((signal) => allAnswer(readyUrls(url, context.countRunning()), answers, signal), {
        what: `OpenSearch ${plan.name} in a cluster of ${context.countRunning()} nodes`,
        timeoutMs: readyTimeoutMs,
        endedBy,
        details: () => logTail(logFile),
      }),
  });
}

/**
 * The health waits itself for the nodes, and answers 408 when it has waited in vain. It answers 200, and red, while
 * the cluster's manager has not yet recovered its state; any read of metadata is refused with 503 until then.
 */
function readyUrls(url: string, nodes: number): readonly string[] {
  const health = `${url}/_cluster/health?wait_for_nodes=${encodeURIComponent(`>=${nodes}`)}&timeout=2s`;
  return [health, `${url}/no-such-index-*/_settings`];
}

async function allAnswer(
  urls: readonly string[],
  answers: (url: string, signal: AbortSignal) => Promise<boolean>,
  signal: AbortSignal,
): Promise<boolean> {
  for (const url of urls) {
    if (!(await answers(url, signal))) return false;
  }
  return true;
}

/** What plugins keep below `config`, one folder each; what lies beside those is about the user's own nodes. */
function copyPluginConfig(from: string, to: string, folder: RunFolder): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name === 'jvm.options.d') continue;
    cpSync(join(from, entry.name), join(to, entry.name), { recursive: true });
    folder.own(join(to, entry.name));
  }
}

function writeConfig(
  folder: string,
  runAs: RunAs | undefined,
  files: Readonly<Record<string, string>>,
): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    writeFileSync(path, content);
    if (runAs !== undefined) chownSync(path, runAs.uid, runAs.gid);
  }
}
