import { ownValue } from '@aosc/contract';
import type { LeftOut } from './inherited-settings';

type Values = Readonly<Record<string, unknown>>;

const reason =
  'OpenSearch keeps it right only in an append-only index, and a target takes updates and deletes: ' +
  'aggregations are computed without it, with the same results';

/**
 * A mapping without its star trees. OpenSearch accepts them only with `index.append_only.enabled`, but checks that only
 * under `composite`. It shows them under `properties`, accepts them there without the setting, and then counts wrongly.
 */
export function withoutStarTrees(mappings: Values): {
  readonly mappings: Values;
  readonly leftOut: readonly LeftOut[];
} {
  const { composite, properties, ...rest } = mappings;
  const fields = Object.entries(asObject(properties));
  const isTree = ([, field]: readonly [string, unknown]): boolean =>
    ownValue(asObject(field), 'type') === 'star_tree';
  const paths = [
    ...Object.keys(asObject(composite)).map((name) => `mappings.composite.${name}`),
    ...fields.filter(isTree).map(([name]) => `mappings.properties.${name}`),
  ];
  if (paths.length === 0) return { mappings, leftOut: [] };
  const kept = Object.fromEntries(fields.filter((field) => !isTree(field)));
  return {
    mappings: { ...rest, ...(properties !== undefined && { properties: kept }) },
    leftOut: paths.map((setting) => ({ setting, reason })),
  };
}

function asObject(value: unknown): Values {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
