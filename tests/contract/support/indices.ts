import { createSourceIndex, createTargetIndex, type IndexOptions, loadDocuments } from '@aosc/testkit';
import type { Workshop } from './workshop';

/** The two indices of a migration and its alias. */
export interface Names {
  readonly source: string;
  readonly target: string;
  readonly alias: string;
}

type Side = Omit<IndexOptions, 'name'>;

/** Makes both indices, named after the sample, with the alias on the source. */
export async function makePair(
  { environment: { http } }: Workshop,
  name: string,
  source: Side,
  target: Side,
): Promise<Names> {
  const names = { source: `${name}-v1`, target: `${name}-v2`, alias: name };
  await Promise.all([
    createSourceIndex(http, { ...source, name: names.source, alias: names.alias }),
    createTargetIndex(http, { ...target, name: names.target }),
  ]);
  return names;
}

/** Documents `d0`, `d1` and so on; every second one has a routing of its own. */
export async function fill({ environment: { http } }: Workshop, index: string, count: number): Promise<void> {
  const documents = Array.from({ length: count }, (_, at) => ({
    id: `d${at}`,
    source: JSON.stringify({ key: `k${at}` }),
    ...routingOf(at),
  }));
  await loadDocuments(http, index, documents);
}

/** Routing of the document at a place of {@link fill}. */
const routingOf = (at: number): { readonly routing?: string } => (at % 2 === 0 ? {} : { routing: `r${at}` });

/** Path of a document of {@link fill}. */
export function documentPath(index: string, at: number): string {
  const { routing } = routingOf(at);
  return `/${index}/_doc/d${at}${routing === undefined ? '' : `?routing=${routing}`}`;
}
