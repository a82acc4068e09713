import { createRunFolder, keepLogs, type RunFolder } from './run-folder';
import { requireCommand } from './requirements';
import { chooseRunAs, type RunAs } from './run-as';
import { type LaunchedServer, type Server } from './server';

/** Which program the servers run; a package of the same name has it. */
export type RedisProgram = 'redis-server' | 'valkey-server';

/** Several servers that replace a primary which dies. */
export interface RedisGroup {
  /** Where the service finds them, as the queues take it. */
  readonly access: {
    readonly redisUrl: string;
    readonly redisSentinels?: readonly string[];
    readonly redisCluster?: readonly string[];
  };
  /** The same as variables of the service. */
  readonly env: Readonly<Record<string, string>>;
  readonly servers: readonly Server[];
  /** The server that takes writes to this key, as the others say. @throws when none of them says, as in a failover */
  findPrimary(key: string): Promise<Server>;
  /** Saves the logs from `stop()`. @returns where they are */
  keepLogs(): Promise<string>;
  stop(): Promise<void>;
}

/** What the servers of a group are started with. */
export interface GroupContext {
  /** path of the program */
  readonly command: string;
  readonly folder: RunFolder;
  readonly runAs: RunAs | undefined;
  /** Starts all and waits for each; a group that fails to start is killed. */
  launch(starts: readonly Promise<LaunchedServer>[]): Promise<readonly Server[]>;
}

/** @throws what did not start; nothing is left running then */
export async function startGroup(
  program: RedisProgram,
  start: (context: GroupContext) => Promise<Pick<RedisGroup, 'access' | 'env' | 'servers' | 'findPrimary'>>,
): Promise<RedisGroup> {
  const command = await requireCommand(program, program, process.env, () => undefined);
  const runAs = chooseRunAs();
  const folder = await createRunFolder(runAs);
  const running: Server[] = [];
  const stop = async () => {
    await Promise.all(running.map((server) => server.kill()));
    await folder.remove();
  };
  const launch: GroupContext['launch'] = async (starts) => {
    const settled = await Promise.allSettled(starts);
    const launched = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    running.push(...launched.map(({ server }) => server));
    for (const one of settled) if (one.status === 'rejected') throw one.reason;
    await Promise.all(launched.map(({ waitUntilReady }) => waitUntilReady(undefined)));
    return launched.map(({ server }) => server);
  };
  try {
    const group = await start({ command, folder, runAs, launch });
    return { ...group, keepLogs: () => keepLogs(folder, process.env), stop };
  } catch (error) {
    const kept = await keepLogs(folder, process.env);
    await stop();
    throw new Error(`The servers of ${program} did not come together; their logs: ${kept}`, { cause: error });
  }
}

/** The server at the port. */
export function serverAt(servers: readonly Server[], port: string): Server {
  const server = servers.find(({ url }) => new URL(url).port === port);
  if (server === undefined) throw new Error(`no server of this group listens on port ${port}`);
  return server;
}
