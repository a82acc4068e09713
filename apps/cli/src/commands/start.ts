import type { StartAnswer, StartCheck, StartRequest } from '@aosc/client';
import { plain } from '../output/text';
import type { Action, Session } from '../session';
import { follow } from './migrations';
import { readStartRequest } from './start-request';

/** `aosc start <source> <target>` */
export const startAction: Action = async (session, [source = '', target = '']) => {
  const request = readStartRequest(session.flags, target);
  const { signal } = session.shell;
  if (session.isDryRun) {
    const check = await session.send((client) => client.checkStart(source, request, { signal }));
    if (check !== undefined) session.print(check, () => describeCheck(check));
    return 'done';
  }
  if (request.options?.create_alias === true && !(await mayCreateAlias(session, source, request))) {
    session.note('nothing was started');
    return 'done';
  }
  const started = await session.send((client) => client.start(source, request, { signal }));
  if (started === undefined) return 'done';
  const follows = session.flags.isOn('watch') || session.flags.isOn('wait');
  if (!session.isData || !follows) session.print(started, () => [started.migration_id]);
  for (const line of describeLeft(source, started)) session.note(line);
  const wanted = request.options?.rehearse === true ? 'terminal' : 'COMPLETED';
  return follows ? follow(session, source, wanted, started.migration_id) : 'done';
};

/** An alias that the swap creates moves no application, so the user has to confirm it. */
async function mayCreateAlias(
  session: Session,
  source: string,
  { target_index: target, alias }: StartRequest,
): Promise<boolean> {
  if (session.printsRequests || session.flags.isOn('yes')) return true;
  const client = await session.client();
  const { indices } = await client.indices({ contains: source, signal: session.shell.signal });
  const aliases = indices.find(({ name }) => name === source)?.aliases ?? [];
  if (aliases.includes(alias)) return true;
  const used = [source, ...aliases].join(', ');
  return session.confirm(
    plain(
      `${alias} is not an alias of ${source}: the swap creates it on ${target}. Applications that use ${used} are not moved: ` +
        `they stay on ${source}, which takes no writes after the swap. Start it?`,
    ),
  );
}

function describeCheck(check: StartCheck): readonly string[] {
  const { source_index: source, target_index: target, alias, shard_routing_mode: mode } = check;
  return [
    `would copy ${plain(source)} -> ${plain(target)} (${mode}), and move ${plain(alias)}`,
    ...describeLeft(source, check),
  ];
}

function describeLeft(
  source: string,
  { aliases_left_behind: left = [] }: Pick<StartAnswer, 'aliases_left_behind'>,
): readonly string[] {
  if (left.length === 0) return [];
  return [
    `these aliases stay on ${plain(source)}, which takes no writes after the swap: ${plain(left.join(', '))}`,
  ];
}
