import type { FleetEvent } from '@aosc/client';
import { plain } from '../output/text';
import type { Action } from '../session';

/** `aosc events [source]`: the first look at all migrations, and with -f what changes from then on. */
export const eventsAction: Action = async (session, [source]) => {
  const { flags, shell } = session;
  const isWanted = createFilter(source);
  const lineOf = createLines();
  const options = {
    signal: shell.signal,
    onTrouble: (error: unknown) => session.note(`no answer, asking again: ${plain(String(error))}`),
  };
  if (session.printsRequests) {
    await session.send((client) => client.events({ signal: shell.signal, patienceMs: 0 }).next());
    return 'done';
  }
  const client = await session.client();
  for await (const event of client.events(options)) {
    if (!isWanted(event)) continue;
    const line = lineOf(event, shell.now());
    if (session.isData || line !== undefined) session.printLine(event, () => line ?? '');
    if (event.event === 'ready' && !flags.isOn('follow')) break;
  }
  return 'done';
};

/** `gone` has only the id: the source of an id is known from earlier events. */
function createFilter(source: string | undefined): (event: FleetEvent) => boolean {
  const ids = new Set<string>();
  return (event) => {
    if (source === undefined) return true;
    if (event.event === 'migration') {
      if (event.data.source_index === source) ids.add(event.data.migration_id);
      return event.data.source_index === source;
    }
    return event.event !== 'gone' || ids.has(event.data.migration_id);
  };
}

/** A line for each step of a migration: figures change every two seconds. */
function createLines(): (event: FleetEvent, nowMillis: number) => string | undefined {
  const steps = new Map<string, string>();
  return (event, nowMillis) => {
    const at = new Date(nowMillis).toISOString();
    if (event.event === 'trouble') return `${at} the migrations can not be read: ${plain(event.data.reason)}`;
    if (event.event === 'gone') {
      steps.delete(event.data.migration_id);
      return `${at} ${plain(event.data.migration_id)} is not shown any more`;
    }
    if (event.event !== 'migration') return undefined;
    const { migration_id: id, source_index: source, target_index: target, phase } = event.data;
    const { shards_by_phase: shards, waiting_for: waiting, error_message: error } = event.data;
    const text = [
      `${source} -> ${target} ${phase}`,
      `[${Object.entries(shards)
        .map(([name, count]) => `${count} ${name}`)
        .join(', ')}]`,
      ...(waiting === undefined ? [] : [`waits for ${waiting.reason}`]),
      ...(error === undefined ? [] : [error]),
    ].join(' ');
    if (steps.get(id) === text) return undefined;
    steps.set(id, text);
    return `${at} ${plain(text)}`;
  };
}
