import { randomBytes } from 'node:crypto';
import { AoscError, type FleetEvent } from '@aosc/contract';
import type { Call } from '@aosc/engine';
import type { Logger } from '@aosc/telemetry';
import { toAoscError } from '../http/to-aosc-error';
import { createFleet, type Reader } from './fleet';
import { createFleetReader, type FleetReads } from './read-fleet';

const lookEveryMs = 2_000;
/** Each such look reads all migrations; those between read the running ones. */
const looksForAll = 15;
/** A proxy ends connections that are silent for a minute. */
const beatEveryMs = 15_000;
/** Then the client connects again, and the API checks its credentials again. */
const lifeMs = 5 * 60_000;
/** A client that has left sent data unread for this long is dropped. */
const slowMs = 20_000;
const maxStreams = 512;
/** A page has one stream for all its tabs. */
const maxOfCredential = 64;

/** Where one client's events go. */
export interface EventSink {
  write(text: string): void;
  /** whether it has not taken all that was written */
  readonly isFull: boolean;
  /** Ends it: in order, or at once when the client does not listen. */
  end(how: 'in_order' | 'at_once'): void;
}

interface Subscriber {
  /** bounds its streams, so that no credential takes all places; undefined: the API has no authentication */
  readonly credential: string | undefined;
  /** whether the caller's credential has stayed the same */
  readonly isValid: () => boolean;
  readonly lastEventId: string | undefined;
  readonly mayUse: Reader['mayUse'];
  readonly sink: EventSink;
}

/** Reads the records once for all clients that follow them, and not at all while there are none. */
export interface EventHub {
  /**
   * @returns ends the stream; to be called when the client has gone
   * @throws AoscError rate_limited when the credential has too many streams; unavailable when all have, or the process is
   *   shutting down
   */
  subscribe(subscriber: Subscriber): () => void;
  /** Ends the streams of credentials that are not what they were. */
  recheck(): void;
  close(): void;
}

interface Stream extends Subscriber {
  seen: number | undefined;
  totals: string;
  /** the client has heard that the records can't be read */
  isTroubled: boolean;
  readonly until: number;
  beatAt: number;
  fullSince: number | undefined;
}

export interface EventHubOptions {
  readonly store: FleetReads;
  readonly newCall: () => Call;
  readonly logger: Logger;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly lookEveryMs?: number;
}

// eslint-disable-next-line max-lines-per-function -- one closure: its short functions share the state above them
export function createEventHub(options: EventHubOptions): EventHub {
  const { store, newCall, logger, now } = options;
  const fleet = createFleet();
  const reader = createFleetReader(store);
  /** Part of each id: an id of another process, or of one before a restart, means nothing here. */
  const name = randomBytes(6).toString('hex');
  const streams = new Set<Stream>();
  let looks = 0;
  let isLooking = false;
  let isTroubled = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    timer = undefined;
    if (streams.size === 0) return;
    isLooking = true;
    try {
      const call = newCall();
      if (looks % looksForAll === 0) {
        const { all, truncated } = await reader.readAll(call);
        fleet.replace(all, truncated, now());
      } else {
        fleet.update(await reader.readActive(call), now());
      }
      looks += 1;
      isTroubled = false;
      for (const stream of streams) sendChanges(stream);
    } catch (error) {
      // The next look reads everything again: otherwise migrations that have gone meanwhile would stay.
      looks = 0;
      const reason = toAoscError(error).message;
      // Reports the trouble once, until it is over, though the look is repeated every two seconds.
      if (!isClosed && !isTroubled) {
        logger.warn('the migrations could not be read for those who follow them', { error });
      }
      isTroubled = true;
      for (const stream of streams) sendTrouble(stream, reason);
    }
    for (const stream of streams) keepUp(stream);
    isLooking = false;
    schedule();
  }

  function schedule(): void {
    if (isClosed || isLooking || streams.size === 0 || timer !== undefined) return;
    timer = setTimeout(() => void look(), options.lookEveryMs ?? lookEveryMs);
  }

  function sendChanges(stream: Stream): void {
    if (stream.sink.isFull) return;
    const totals = fleet.totalsFor(stream.mayUse);
    const changed = fleet.eventsFor(stream);
    const text = JSON.stringify(totals);
    const isQuiet = changed.length === 0 && text === stream.totals;
    stream.seen = fleet.version;
    if (isQuiet && !stream.isTroubled) return;
    stream.isTroubled = false;
    stream.totals = text;
    send(
      stream,
      [...changed, { event: 'totals', data: totals }, { event: 'ready', data: { at_millis: now() } }],
      `${name}-${fleet.version}`,
    );
  }

  /** Reports trouble once, until it is over. */
  function sendTrouble(stream: Stream, reason: string): void {
    if (stream.isTroubled || stream.sink.isFull) return;
    stream.isTroubled = true;
    send(stream, [{ event: 'trouble', data: { reason } }]);
  }

  function send(stream: Stream, events: readonly FleetEvent[], id?: string): void {
    if (stream.sink.isFull) return;
    stream.beatAt = now() + beatEveryMs;
    stream.sink.write(events.map((event) => frame(event, id)).join(''));
  }

  /** Ends streams that are due or too slow, and sends the others a sign of life. */
  function keepUp(stream: Stream): void {
    stream.fullSince = stream.sink.isFull ? (stream.fullSince ?? now()) : undefined;
    if (stream.fullSince !== undefined && now() - stream.fullSince > slowMs) drop(stream, 'at_once');
    else if (now() >= stream.until) drop(stream, 'in_order');
    else if (now() >= stream.beatAt && !stream.sink.isFull) {
      stream.beatAt = now() + beatEveryMs;
      stream.sink.write(':\n\n');
    }
  }

  function drop(stream: Stream, how: 'in_order' | 'at_once'): void {
    if (streams.delete(stream)) stream.sink.end(how);
  }

  function requireRoom({ credential }: Subscriber): void {
    const own = [...streams].filter((stream) => credential !== undefined && stream.credential === credential);
    if (own.length >= maxOfCredential) {
      throw new AoscError(
        'rate_limited',
        `${maxOfCredential} pages follow the migrations with this credential already; ask for _list`,
      );
    }
    if (streams.size < maxStreams) return;
    throw new AoscError('unavailable', `${maxStreams} pages follow the migrations already; ask for _list`);
  }

  return {
    subscribe(subscriber) {
      if (isClosed) throw new AoscError('unavailable', 'The process is shutting down');
      requireRoom(subscriber);
      const stream: Stream = {
        ...subscriber,
        seen: readId(subscriber.lastEventId, name),
        totals: '',
        isTroubled: false,
        until: now() + lifeMs,
        beatAt: now() + beatEveryMs,
        fullSince: undefined,
      };
      streams.add(stream);
      subscriber.sink.write('retry: 2000\n\n');
      // The end of a look informs all streams. With no look to come, what was read is outdated.
      if (timer !== undefined && looks > 0) sendChanges(stream);
      else if (timer === undefined && !isLooking) {
        looks = 0;
        void look();
      }
      return () => void streams.delete(stream);
    },
    recheck() {
      for (const stream of streams) if (!stream.isValid()) drop(stream, 'in_order');
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      for (const stream of streams) drop(stream, 'in_order');
    },
  };
}

/** Only `ready` has an id, so a client whose batch was cut off gets all of it again. */
function frame({ event, data }: FleetEvent, id: string | undefined): string {
  const named = event === 'ready' && id !== undefined ? `id: ${id}\n` : '';
  return `event: ${event}\n${named}data: ${JSON.stringify(data)}\n\n`;
}

/** @returns the version that a client has seen; undefined when the id comes from another process */
function readId(id: string | undefined, name: string): number | undefined {
  const [, from, version] = /^([0-9a-f]{12})-(\d{1,15})$/.exec(id ?? '') ?? [];
  return from === name ? Number(version) : undefined;
}
