import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../random';

/**
 * What happens to one call on its way through a proxy. Everything left out happens as without the proxy.
 * @typeParam Reply what came back from the server
 * @typeParam Canned an answer that the proxy itself can give
 */
export interface Fault<Reply, Canned> {
  /** Asked when the whole call has come and before any of it is passed on. `drop`: it never is, and its connection is cut. */
  readonly before?: () => Promise<'forward' | 'drop'>;
  /** Given by the proxy; the call is never passed on. */
  readonly answer?: Canned;
  /** Asked when the whole answer is there, so the call is carried out. `cut`: the connection is cut without it. */
  readonly after?: (reply: Reply) => Promise<'deliver' | 'cut'>;
  /** So many bytes of the answer's body arrive, then the connection is cut. */
  readonly cutAnswerAfterBytes?: number;
}

/** Decides about one call. @returns undefined: nothing happens to it */
export type FaultRule<Call, Reply, Canned> = (call: Call) => Fault<Reply, Canned> | undefined;

/** A call that was passed on, and what the server answered. */
export interface Passed<Call, Reply> {
  readonly call: Call;
  readonly reply: Reply;
}

/** What the proxies of OpenSearch and Redis have in common. */
export interface FaultProxy<Call, Reply, Canned> {
  /** where the process under test connects to; the same as long as the proxy lives */
  readonly url: string;
  /** From now on `rule` is asked about each call; of several rules the first that has a fault decides. @returns removes it */
  addRule(rule: FaultRule<Call, Reply, Canned>): () => void;
  /** Reports each call that was passed on, before its answer is delivered or lost. @returns ends it */
  watch(listener: (passed: Passed<Call, Reply>) => void): () => void;
  /** Cuts all connections; new ones are accepted. */
  cutConnections(): void;
  /** Cuts all connections and refuses new ones until {@link acceptConnections}. */
  refuseConnections(): Promise<void>;
  acceptConnections(): Promise<void>;
  /** Cuts all connections, also those of calls that are held. */
  stop(): Promise<void>;
}

/** Never passed on; the connection is cut. */
export const dropped = { before: () => Promise.resolve('drop' as const) };

/** Carried out, but the answer does not arrive: the connection is cut. */
export const unanswered = { after: () => Promise.resolve('cut' as const) };

/** Carried out at once; the answer arrives so much later. */
export function answeredLate(ms: number): { readonly after: () => Promise<'deliver'> } {
  return { after: () => pause(ms, 'deliver' as const) };
}

/** A rule for a part of the calls that it would meet: `chance` of 0.25 is about one of four. */
export function sometimes<Call, Reply, Canned>(
  random: Random,
  chance: number,
  rule: FaultRule<Call, Reply, Canned>,
): FaultRule<Call, Reply, Canned> {
  return (call) => (random.below(1_000_000) < chance * 1_000_000 ? rule(call) : undefined);
}

/** A place where one call is stopped until the test decides what becomes of it. */
export interface Hold<Decision> {
  /** resolves when a call has come here */
  readonly reached: Promise<unknown>;
  /** whether a call has come here */
  isReached(): boolean;
  /** May be called before a call has come; only the first decision counts. */
  release(decision: Decision): void;
  /** for {@link Fault.before} or {@link Fault.after} */
  readonly wait: () => Promise<Decision>;
}

/** @typeParam Decision what a fault's `before` or `after` can answer */
export function createHold<Decision>(): Hold<Decision> {
  const arrival = createSignal<undefined>();
  const decision = createSignal<Decision>();
  let reached = false;
  return {
    reached: arrival.promise,
    isReached: () => reached,
    release: decision.resolve,
    wait: () => {
      reached = true;
      arrival.resolve(undefined);
      return decision.promise;
    },
  };
}

function createSignal<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}
