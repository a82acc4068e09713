import type { FleetEvent, ListAnswer } from '@aosc/client';
import { applyEvents, applyList, emptyFleet, type FleetState } from './fleet-store';
import { followEvents } from './follow-events';

const lockName = 'aosc-events';

type Message =
  | { readonly type: 'hello' }
  /** for a tab that has just been opened */
  | { readonly type: 'whole'; readonly state: FleetState }
  | { readonly type: 'events'; readonly events: readonly FleetEvent[] }
  | { readonly type: 'broken' };

/** The state of all migrations, for all listeners in this tab. */
export interface FleetStore {
  readonly get: () => FleetState;
  readonly subscribe: (listener: () => void) => () => void;
}

/** Where the state comes from. */
export interface FleetSource extends FleetStore {
  /**
   * Follows the stream.
   * @param who is signed in: only tabs of the same person share a stream
   * @returns ends that
   */
  readonly open: (who: string) => () => void;
  /** Drops what the person who was signed in has read. */
  readonly forget: () => void;
  /** Takes a list that was requested instead. */
  readonly takeList: (answer: ListAnswer) => void;
}

/**
 * One stream for all tabs of a browser: with HTTP/1.1 a browser has six connections to a host, and a stream takes one
 * for itself. The tab that holds a lock reads the stream and sends the events to the others; when it closes, another
 * tab takes over. Where a browser has no locks (a page over plain HTTP from another machine), each tab has a stream of
 * its own.
 * @param onBroken the stream was refused, and the browser does not try again
 */

export function createFleetStore(onBroken: () => void): FleetSource {
  let state = emptyFleet;
  const listeners = new Set<() => void>();
  const set = (next: FleetState): void => {
    state = next;
    for (const listener of listeners) listener();
  };
  const broken = (): void =>
    set({ ...state, liveness: { state: 'trouble', reason: 'The API does not answer' } });

  function lead(channel: BroadcastChannel | undefined): () => void {
    return followEvents({
      onEvents: (events) => {
        set(applyEvents(state, events, 'stream'));
        channel?.postMessage({ type: 'events', events } satisfies Message);
      },
      onTrouble: () => {
        broken();
        channel?.postMessage({ type: 'broken' } satisfies Message);
      },
      onRefused: onBroken,
    });
  }

  function listen(channel: BroadcastChannel, isLeading: () => boolean): void {
    channel.onmessage = ({ data }: MessageEvent<Message>) => {
      if (data.type === 'hello') {
        if (isLeading() && state.atMillis !== undefined) {
          channel.postMessage({ type: 'whole', state } satisfies Message);
        }
      } else if (isLeading()) return;
      else if (data.type === 'whole') set({ ...data.state, liveness: { state: 'live', by: 'other_tab' } });
      else if (data.type === 'events') set(applyEvents(state, data.events, 'other_tab'));
      else broken();
    };
  }

  return {
    get: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    forget: () => set(emptyFleet),
    takeList: (answer) => set(applyList(state, answer, Date.now())),
    open: (who) => {
      // Browsers offer locks only to pages that they trust (HTTPS or this machine).
      if (!('locks' in navigator) || typeof BroadcastChannel === 'undefined') return lead(undefined);
      const name = `${lockName} ${who}`;
      const channel = new BroadcastChannel(name);
      const closing = new AbortController();
      let isLeading = false;
      listen(channel, () => isLeading);
      channel.postMessage({ type: 'hello' } satisfies Message);
      navigator.locks
        .request(name, { signal: closing.signal }, async () => {
          isLeading = true;
          const end = lead(channel);
          await new Promise<void>((resolve) => closing.signal.addEventListener('abort', () => resolve()));
          end();
        })
        .catch(() => undefined); // The wait for the lock was ended by `closing`.
      return () => {
        closing.abort();
        channel.close();
      };
    },
  };
}
