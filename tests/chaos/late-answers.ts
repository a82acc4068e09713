import { createHold, type HttpCall, type HttpFaultProxy, overloaded } from '@aosc/testkit';

/** What of the service's requests is held until the node comes back, by their paths. */
export const heldKinds = {
  everything: /^/,
  snapshots: /\/_search(\/point_in_time)?$/,
  documents: /\/_(mget|bulk|doc|update)\b/,
  views: /\/_(cluster|cat|alias|aliases|stats|settings|nodes|tasks|count|segments|recovery)\b/,
} as const;
export type HeldKind = keyof typeof heldKinds;

/** Requests of the service that came to a node while it was away, and what it answered before it was a member again. */
export interface LateAnswers {
  readonly held: number;
  /** answered without an error by what the node knew when it went; by kind of request */
  readonly answered: Readonly<Record<string, number>>;
  /** refused by the node: it knows that it has no manager, or that the shard is not its own */
  readonly refused: number;
}

/** One line for people. */
export function describeLate({
  kind,
  held,
  answered,
  refused,
}: LateAnswers & { readonly kind: HeldKind }): string {
  const kinds = Object.entries(answered).map(([call, count]) => `${count} ${call}`);
  return `held ${held} (${kind}); answered late ${countAnswered({ answered })}: ${kinds.join(', ')}; refused ${refused}`;
}

export function countAnswered({ answered }: Pick<LateAnswers, 'answered'>): number {
  return Object.values(answered).reduce((sum, count) => sum + count, 0);
}

/** Holds requests at the proxy of a node that is away. */
export interface LateRequests {
  /** Sends all of them to the node at once, in whose socket they wait while it is paused; later ones follow at once. */
  release(): void;
  /** Counts answers from now on: the node goes on. */
  count(): void;
  /** Nothing is held or counted any more. */
  end(): LateAnswers;
}

/**
 * Holds the requests of one kind. While only some are held, the others are refused with 429, so that the service goes
 * on by the other nodes until it comes to one of that kind here.
 */
export function holdRequests(proxy: HttpFaultProxy, kind: HeldKind): LateRequests {
  const hold = createHold<'forward'>();
  const answered: Record<string, number> = {};
  let held = 0;
  let refused = 0;
  let released = false;
  let counts = false;
  const removeRule = proxy.addRule((call) => {
    if (!heldKinds[kind].test(pathOf(call))) return overloaded(429);
    if (released) return undefined;
    held += 1;
    return { before: hold.wait };
  });
  const ignore = proxy.watch(({ call, reply }) => {
    if (!counts) return;
    if (reply.status >= 300) refused += 1;
    else answered[describeCall(call)] = (answered[describeCall(call)] ?? 0) + 1;
  });
  return {
    release() {
      released = true;
      hold.release('forward');
    },
    count() {
      counts = true;
    },
    end() {
      this.release();
      removeRule();
      ignore();
      return { held, answered: { ...answered }, refused };
    },
  };
}

/** Method and endpoint of a call, without names of indices and ids: `POST _search`. */
export function describeCall(call: Pick<HttpCall, 'method' | 'path'>): string {
  const [endpoint = '/'] =
    /_(search\/point_in_time|cluster\/\w+|cat\/\w+|stats|[a-z_]+)/.exec(pathOf(call)) ?? [];
  return `${call.method} ${endpoint}`;
}

function pathOf({ path }: Pick<HttpCall, 'path'>): string {
  return path.split('?')[0] ?? path;
}
