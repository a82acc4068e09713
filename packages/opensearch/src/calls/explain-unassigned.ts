import { createParser, maybe } from '@aosc/contract';
import { type IndexStatePort, isClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { readRouting } from './read-routing';
import type { AsksOf } from '../bind-calls';
import { requestJson } from '../client/request';

const parse = createParser(
  'answer of _cluster/allocation/explain',
  Type.Object({
    can_allocate: maybe(Type.String()),
    allocate_explanation: maybe(Type.String()),
    node_allocation_decisions: maybe(
      Type.Array(
        Type.Object({
          deciders: maybe(Type.Array(Type.Object({ decider: Type.String(), explanation: Type.String() }))),
        }),
      ),
    ),
  }),
);

const fields = 'can_allocate,allocate_explanation,node_allocation_decisions.deciders';
/** After such a decision the cluster gives the copy a node by itself within moments. */
const passing = ['yes', 'throttled', 'awaiting_info'];
/** A cluster has some hundred nodes at most, whose reasons are few. */
const maxReasons = 3;
const maxReasonLength = 300;

/**
 * `POST _cluster/allocation/explain` for one copy of the index that no node holds: a primary, else a replica.
 * @returns which copy it is, and why it has no node; undefined: all copies have one, or the cluster gives no reason
 */
export const explainUnassigned: AsksOf<IndexStatePort['explainUnassigned']> = async (client, index, call) => {
  try {
    const { primaries } = await readRouting(client, index, call);
    const lost = primaries.find(({ state }) => state === 'UNASSIGNED');
    const short = lost ?? primaries.find(({ copies, activeCopies }) => activeCopies < copies);
    if (short === undefined) return undefined;
    const { shard } = short;
    const isPrimary = lost !== undefined;
    const answer = await requestJson(
      client,
      {
        method: 'POST',
        path: '/_cluster/allocation/explain',
        query: { filter_path: fields },
        body: JSON.stringify({ index, shard, primary: isPrimary }),
      },
      parse,
      call,
    );
    if (passing.includes(answer.can_allocate ?? 'yes')) return undefined;
    const reasons = answer.node_allocation_decisions?.flatMap(({ deciders = [] }) => deciders) ?? [];
    const explained = describeReasons(reasons, answer.allocate_explanation);
    return (
      explained && `the ${isPrimary ? 'primary' : 'replica'} of shard [${shard}] has no node: ${explained}`
    );
  } catch (error) {
    // The explanation justifies no privilege of its own. If the copy has got a node meanwhile, OpenSearch refuses the
    // question as invalid.
    if (isClusterError(error, 'forbidden', 'invalid', 'not_found')) return undefined;
    throw error;
  }
};

/** Each reason once, with the number of nodes that give it. */
function describeReasons(
  deciders: readonly { readonly decider: string; readonly explanation: string }[],
  whole: string | undefined,
): string | undefined {
  const nodes = new Map<string, number>();
  for (const { decider, explanation } of deciders) {
    const reason = `${decider}: ${withoutNode(explanation)}`;
    nodes.set(reason, (nodes.get(reason) ?? 0) + 1);
  }
  if (nodes.size === 0) return whole;
  const counted = [...nodes].toSorted(([, a], [, b]) => b - a);
  const named = counted
    .slice(0, maxReasons)
    .map(([reason, n]) => `${reason} (${n} ${n === 1 ? 'node' : 'nodes'})`);
  const left = counted.length - named.length;
  return [...named, ...(left > 0 ? [`${left} more reasons`] : [])].join('; ');
}

/**
 * `same_shard` ends in the existing copy with the id of its node, so the text differs for each node. And a filter of
 * the whole cluster contains names of nodes, which not every reader of an index may see.
 */
function withoutNode(explanation: string): string {
  const said = explanation.replace(/ \[\[.*$/, '').replace(/(cluster setting \[[^\]]*\] filters) .*$/, '$1');
  return said.length > maxReasonLength ? `${said.slice(0, maxReasonLength)}…` : said;
}
