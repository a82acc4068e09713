import { createParser } from '@aosc/contract';
import { Type } from '@sinclair/typebox';
import type { Victim } from '../fault';

const parseState = createParser(
  'answer of _cluster/state',
  Type.Object({
    cluster_manager_node: Type.Optional(Type.String()),
    nodes: Type.Record(Type.String(), Type.Object({ name: Type.String() })),
    routing_table: Type.Optional(
      Type.Object({
        indices: Type.Record(
          Type.String(),
          Type.Object({
            shards: Type.Record(
              Type.String(),
              Type.Array(
                Type.Object({
                  primary: Type.Boolean(),
                  state: Type.String(),
                  node: Type.Union([Type.String(), Type.Null()]),
                }),
              ),
            ),
          }),
        ),
      }),
    ),
  }),
);

/** The cluster as its manager sees it, by the names of its nodes. */
export interface View {
  readonly members: readonly string[];
  readonly manager: string | undefined;
  /** of source and target */
  readonly copies: readonly ViewedCopy[];
}

export interface ViewedCopy {
  readonly index: string;
  readonly shard: number;
  readonly primary: boolean;
  /** undefined: it is not started */
  readonly node: string | undefined;
}

/** Asks the nodes that are not left out, again while they have no manager. */
export async function readView({ arena, source, target }: Victim): Promise<View> {
  const what = 'nodes,cluster_manager_node,routing_table';
  const path = `/_cluster/state/${what}/${source},${target}?ignore_unavailable=true&cluster_manager_timeout=2s`;
  const state = parseState(await arena.ask('GET', path));
  const nameOf = (id: string): string => state.nodes[id]?.name ?? id;
  const { cluster_manager_node: manager, routing_table: routing } = state;
  return {
    members: Object.values(state.nodes).map(({ name }) => name),
    manager: manager === undefined ? undefined : nameOf(manager),
    copies: Object.entries(routing?.indices ?? {}).flatMap(([index, { shards }]) =>
      Object.entries(shards).flatMap(([shard, copies]) =>
        copies.map(({ primary, state: copyState, node }) => ({
          index,
          shard: Number(shard),
          primary,
          node: node === null || copyState !== 'STARTED' ? undefined : nameOf(node),
        })),
      ),
    ),
  };
}
