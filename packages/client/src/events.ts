import { parseAnswer } from './answers.ts';
import { AnswerError } from './errors.ts';
import type { Schemas } from './generated/types.ts';
import type { CallOptions } from './options.ts';
import { isPassing } from './retry.ts';
import { sleep } from './sleep.ts';
import type { Transport } from './transport.ts';

type EventData = Required<Schemas['Events']>;

/** One event of the API's stream, by its name. */
export type FleetEvent = {
  readonly [K in keyof EventData]: { readonly event: K; readonly data: EventData[K] };
}[keyof EventData];

export interface EventsOptions extends CallOptions {
  /** how long in a row the API may be away; default 120,000 */
  readonly patienceMs?: number;
  /** receives each trouble that is waited out */
  readonly onTrouble?: (error: unknown) => void;
}

const path = '/_plugins/_aosc/_events';
/** The API sends a beat every 15 seconds. */
const silenceMs = 60_000;
const pauseMs = 1_000;
/** An event is a migration's summary; its longest part is a text of 4,000 characters. */
const maxEventLength = 1024 * 1024;

/**
 * Every migration as it changes. The API ends its stream after some minutes: this asks again, and goes on where it was.
 * @throws ApiError, AnswerError, ConnectionError after `patienceMs` without the API, or the signal's reason
 */
export async function* followEvents(
  transport: Pick<Transport, 'stream'>,
  { signal, patienceMs = 120_000, onTrouble }: EventsOptions = {},
): AsyncGenerator<FleetEvent, never, undefined> {
  let lastId: string | undefined;
  let lastAnswer = performance.now();
  for (;;) {
    try {
      const headers = {
        accept: 'text/event-stream',
        ...(lastId !== undefined && { 'last-event-id': lastId }),
      };
      for await (const { id, event } of readMessages(
        transport.stream({ path, headers, silenceMs, signal }),
      )) {
        lastAnswer = performance.now();
        lastId = id ?? lastId;
        if (event !== undefined) yield event;
      }
    } catch (error) {
      if (!isPassing(error) || performance.now() - lastAnswer > patienceMs) throw error;
      onTrouble?.(error);
    }
    await sleep(pauseMs, signal);
  }
}

interface Message {
  readonly id: string | undefined;
  /** undefined: a beat, or a name that this client does not know */
  readonly event: FleetEvent | undefined;
}

/** Server-sent events, as far as the API uses them. Drops an event that was cut off: the API sends it again. */
async function* readMessages(pieces: AsyncIterable<string>): AsyncGenerator<Message, void, undefined> {
  let rest = '';
  for await (const piece of pieces) {
    const messages = (rest + piece).split('\n\n');
    rest = messages.pop() ?? '';
    if (rest.length > maxEventLength) throw new AnswerError({ method: 'GET', path }, ['an event has no end']);
    for (const message of messages) yield readMessage(message);
  }
}

function readMessage(message: string): Message {
  const fields = new Map(
    message.split('\n').map((line): [string, string] => {
      const at = line.indexOf(':');
      return [line.slice(0, at), line.slice(at + 1).trimStart()];
    }),
  );
  const [name, data] = [fields.get('event'), fields.get('data')];
  return {
    id: fields.get('id'),
    event: name === undefined || data === undefined ? undefined : readEvent(name, data),
  };
}

const names: readonly (keyof EventData)[] = ['reset', 'migration', 'gone', 'totals', 'ready', 'trouble'];

function readEvent(name: string, text: string): FleetEvent | undefined {
  const event = names.find((known) => known === name);
  if (event === undefined) return undefined;
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw new AnswerError({ method: 'GET', path }, [`the data of an event [${name}] is no JSON`]);
  }
  const parsed = parseAnswer('Events', { [event]: data });
  if ('problems' in parsed) throw new AnswerError({ method: 'GET', path }, parsed.problems);
  // The schema has held the data of this event to its own part.
  return { event, data: parsed.value[event] } as FleetEvent;
}
