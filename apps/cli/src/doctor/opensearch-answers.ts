import { createParser, ownValue } from '@aosc/contract';
import type { Call } from '@aosc/engine';
import { type OpenSearchClient, requestJson } from '@aosc/opensearch';
import { type Static, Type } from '@sinclair/typebox';
import { flatten, type Template } from './traps';

export const parseRoot = createParser(
  'answer of GET /',
  Type.Object({ version: Type.Object({ number: Type.String() }) }),
);

export const parseHealth = createParser(
  'answer of _cluster/health',
  Type.Object({
    status: Type.Union(['green', 'yellow', 'red'].map((color) => Type.Literal(color))),
  }),
);

export const parseNodeClocks = createParser(
  'answer of _nodes/stats',
  Type.Object({
    nodes: Type.Record(Type.String(), Type.Object({ name: Type.String(), timestamp: Type.Integer() })),
  }),
);

const Flat = Type.Record(Type.String(), Type.Unknown());
const ClusterSettingsSchema = Type.Object({ persistent: Flat, transient: Flat });
export const parseClusterSettings = createParser('answer of _cluster/settings', ClusterSettingsSchema);

interface Block {
  readonly setting: string;
  readonly why: string;
  readonly isFatal: boolean;
}

const blocking: readonly (Block & { readonly isSet: (value: string) => boolean })[] = [
  {
    setting: 'cluster.blocks.read_only',
    why: 'nothing can be written',
    isFatal: true,
    isSet: (value) => value === 'true',
  },
  {
    setting: 'cluster.blocks.read_only_allow_delete',
    why: 'nothing can be written',
    isFatal: true,
    isSet: (value) => value === 'true',
  },
  {
    setting: 'cluster.blocks.create_index',
    why: 'the service can not make its index',
    isFatal: false,
    isSet: (value) => value === 'true',
  },
  {
    setting: 'cluster.routing.allocation.enable',
    why: 'shards are not allocated, so that a target may never become green',
    isFatal: false,
    isSet: (value) => value !== 'all',
  },
];

/** Settings of the cluster that would stop a migration. @param scopes with full names; transient wins */
export function findBlocks({
  persistent,
  transient,
}: Static<typeof ClusterSettingsSchema>): readonly Block[] {
  return blocking.filter(({ setting, isSet }) => {
    const value = ownValue(transient, setting) ?? ownValue(persistent, setting);
    return value !== undefined && isSet(typeof value === 'string' ? value : JSON.stringify(value));
  });
}

const Settings = Type.Optional(Type.Unknown());
const parseTemplates = createParser(
  'answer of _index_template',
  Type.Object({
    index_templates: Type.Array(
      Type.Object({
        name: Type.String(),
        index_template: Type.Object({
          index_patterns: Type.Array(Type.String()),
          template: Type.Optional(Type.Object({ settings: Settings })),
        }),
      }),
    ),
  }),
);
const parseOldTemplates = createParser(
  'answer of _template',
  Type.Record(Type.String(), Type.Object({ index_patterns: Type.Array(Type.String()), settings: Settings })),
);

/** All index templates, those of the old kind as well. */
export async function findTemplates(
  client: OpenSearchClient,
  newCall: () => Call,
): Promise<readonly Template[]> {
  const get = (path: string) => ({ method: 'GET', path }) as const;
  const { index_templates: composed } = await requestJson(
    client,
    get('/_index_template'),
    parseTemplates,
    newCall(),
  );
  const old = await requestJson(client, get('/_template'), parseOldTemplates, newCall());
  return [
    ...composed.map(({ name, index_template: { index_patterns: patterns, template } }) => ({
      name,
      patterns,
      settings: flatten(template?.settings),
    })),
    ...Object.entries(old).map(([name, { index_patterns: patterns, settings }]) => ({
      name,
      patterns,
      settings: flatten(settings),
    })),
  ];
}
