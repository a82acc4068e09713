import { poll, type Verification, WaitTimeoutError } from '@aosc/client';
import type { ExitName } from '../exit-codes';
import { group, plain } from '../output/text';
import type { Action, Session } from '../session';
import { pollOptions } from '../watch/poll-options';
import { namedMigration } from './named-migration';

const shownSamples = 20;
const words = 'the end of the verification';

/** `aosc verify <index>`: begins a verification, unless it only shows the newest. */
export const verifyAction: Action = async (session, [index = '']) => {
  const { flags, shell } = session;
  const { signal } = shell;
  const onlyShows = flags.isOn('show') || session.isDryRun;
  const first = await session.send((client) =>
    onlyShows
      ? namedMigration(client, index).verification({ signal })
      : client.verify(index, { repair: flags.isOn('repair') }, { signal }),
  );
  if (first === undefined) return 'done';
  const found = flags.isOn('wait') ? await waitForEnd(session, index, first) : first;
  session.print(found, () => renderVerification(found));
  return exitOf(found);
};

/** @throws WaitTimeoutError */
async function waitForEnd(session: Session, index: string, first: Verification): Promise<Verification> {
  if (first.state !== 'running') return first;
  const { flags, shell } = session;
  const { signal } = shell;
  const migration = namedMigration(await session.client(), index);
  const timeoutMs = flags.number('timeout') ?? Infinity;
  const deadline = shell.now() + timeoutMs;
  const options = pollOptions(session);
  const read = async (): Promise<Verification> => {
    const found = await migration.verification({ signal });
    if (found.state !== 'running' || shell.now() < deadline) return found;
    throw new WaitTimeoutError(timeoutMs, words, await migration.status({ signal }));
  };
  const onTrouble = (error: unknown): void => {
    if (shell.now() >= deadline) throw new WaitTimeoutError(timeoutMs, words, undefined);
    options.onTrouble?.(error);
  };
  for await (const found of poll(read, { ...options, onTrouble }))
    if (found.state !== 'running') return found;
  throw new Error('a wait has ended before its verification');
}

/** Whether documents were left out: some could not be judged, or the pass after the swap has failed. */
const leavesOut = ({ state, unsettled, reason }: Verification): boolean =>
  unsettled > 0 || (state === 'done' && reason !== undefined);

/** A verification that leaves documents out proves nothing: the service lets no cutover begin, either. */
function exitOf(found: Verification): ExitName {
  const { state, differences } = found;
  const isClean = Object.values(differences.counts).every((count) => count === 0);
  return state === 'failed' || !isClean || (state === 'done' && leavesOut(found)) ? 'ended' : 'done';
}

/** As people read it. */
function renderVerification(found: Verification): readonly string[] {
  const { differences, progress } = found;
  const kinds = Object.entries(differences.counts).filter(([, count]) => count > 0);
  const lines = [
    `${plain(found.source_index)} -> ${plain(found.target_index)}: ${found.state}, ` +
      `${group(found.documents_compared)} documents compared, ` +
      `${progress.groups_done} of ${progress.groups} groups of shards, pass ${found.passes}`,
    kinds.length === 0
      ? `no differences${leavesOut(found) ? ' so far' : ''}`
      : `differences: ${kinds.map(([kind, count]) => `${group(count)} ${kind}`).join(', ')}`,
  ];
  if (found.repaired !== undefined) lines.push(`${group(found.repaired)} differences were repaired`);
  if (found.unsettled > 0) {
    const remedy = found.state === 'running' ? '' : ': verify again';
    lines.push(`${group(found.unsettled)} documents could not be judged${remedy}`);
  }
  if (found.unproven_at_swap !== undefined)
    lines.push(
      `${group(found.unproven_at_swap)} operations came between the last pass before the swap and the swap`,
    );
  if (found.reason !== undefined) lines.push(plain(found.reason));
  for (const { kind, id, routing, fields } of differences.samples.slice(0, shownSamples)) {
    const where = routing === undefined ? '' : ` (routing ${plain(routing)})`;
    const which = fields === undefined ? '' : `: ${fields.map(plain).join(', ')}`;
    lines.push(`  ${kind}  ${plain(id)}${where}${which}`);
  }
  if (found.digest !== undefined) lines.push(`digest ${found.digest}`);
  return lines;
}
