import type { OpenSearchClient } from './client/request';

type Call = (client: OpenSearchClient, ...rest: never[]) => unknown;

/** A method of a port, before it is bound to the client that it asks through. */
export type Asks<M extends (...rest: never[]) => unknown> = (
  client: OpenSearchClient,
  ...rest: Parameters<M>
) => ReturnType<M>;

/** The same for a method about one index. */
export type AsksOf<M extends (...rest: never[]) => unknown> = (
  client: OpenSearchClient,
  index: string,
  ...rest: Parameters<M>
) => ReturnType<M>;

/** Calls without their first arguments, which they have from now on. */
export type Bound<First extends readonly unknown[], Calls> = {
  readonly [K in keyof Calls]: Calls[K] extends (...all: [...First, ...infer Rest]) => infer R
    ? (...rest: Rest) => R
    : never;
};

/** Gives calls the client, and the index that they are about. */
export function bindCalls<
  const Calls extends Readonly<Record<string, Call>>,
  First extends readonly unknown[],
>(calls: Calls, ...first: [OpenSearchClient, ...First]): Bound<[OpenSearchClient, ...First], Calls> {
  const bound = Object.entries<(...all: unknown[]) => unknown>(calls as never).map(
    ([name, call]) => [name, (...rest: unknown[]) => call(...first, ...rest)] as const,
  );
  // Each has its first arguments, which is what the type takes away.
  return Object.fromEntries(bound) as Bound<[OpenSearchClient, ...First], Calls>;
}
