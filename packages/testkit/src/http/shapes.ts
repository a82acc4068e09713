import { Type } from '@sinclair/typebox';
import { createParser } from '@aosc/contract';

/** Answers of OpenSearch that the testkit reads as plain JSON: only the fields it looks at. */
export const parseAnything = (value: unknown): unknown => value;

const ShardsSchema = Type.Object({ total: Type.Integer(), failed: Type.Integer() });

export const parseRefresh = createParser('answer of _refresh', Type.Object({ _shards: ShardsSchema }));

export const parsePointInTime = createParser(
  'answer of _search/point_in_time',
  Type.Object({ pit_id: Type.String(), _shards: ShardsSchema }),
);

export const parseTotal = createParser(
  'answer of _search',
  Type.Object({
    timed_out: Type.Literal(false),
    _shards: Type.Object({ failed: Type.Literal(0) }),
    hits: Type.Object({
      total: Type.Object({ value: Type.Integer(), relation: Type.Literal('eq') }),
    }),
  }),
);

export const parseSearchShards = createParser(
  'answer of _search_shards',
  Type.Object({
    shards: Type.Array(Type.Array(Type.Object({ shard: Type.Integer(), index: Type.String() }))),
  }),
);

export const parseFlatSettings = createParser(
  'answer of _settings',
  // A resize that is to leave a setting out leaves it with null.
  Type.Record(
    Type.String(),
    Type.Object({ settings: Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()])) }),
  ),
);

export const parseAliases = createParser(
  'answer of _alias',
  Type.Record(Type.String(), Type.Object({ aliases: Type.Record(Type.String(), Type.Unknown()) })),
);

export const parseSearchStats = createParser(
  'answer of _stats/search',
  Type.Object({
    indices: Type.Record(
      Type.String(),
      Type.Object({
        total: Type.Object({ search: Type.Object({ point_in_time_current: Type.Integer() }) }),
      }),
    ),
  }),
);

const parseListed = createParser(
  'answer of _search/point_in_time/_all',
  Type.Object({
    pits: Type.Array(
      Type.Object({ pit_id: Type.Union([Type.String(), Type.Null()]), keep_alive: Type.Integer() }),
    ),
  }),
);

interface ListedPit {
  readonly pit_id: string;
  readonly keep_alive: number;
}

/** Without those that OpenSearch has not given an id yet, because they are just being opened. */
export function parsePointsInTime(value: unknown): { readonly pits: readonly ListedPit[] } {
  const { pits } = parseListed(value);
  return {
    pits: pits.flatMap(({ pit_id, keep_alive }) => (pit_id === null ? [] : [{ pit_id, keep_alive }])),
  };
}

export const parseAcknowledged = createParser(
  'answer of an administrative call',
  Type.Object({ acknowledged: Type.Boolean() }),
);
