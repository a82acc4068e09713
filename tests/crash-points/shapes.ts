import { callJson, type MakeDocument } from '@aosc/testkit';
import type { Environment } from '../support/environment';
import type { Scenario } from '../support/scenario';

/** What is migrated. */
export const shape = {
  source: { shards: 2, routingShards: 8 },
  target: { shards: 4, routingShards: 8, settings: { 'index.refresh_interval': '2s' } },
  documents: 300,
  writers: { rate: 80 },
} as const satisfies Omit<Scenario, 'name'>;

/** A pipeline writes the text of a document, and of one field there is one way to do that: so its bytes can be verified. */
const oneField: MakeDocument = (_random, { id, revision }) => JSON.stringify({ key: `${id} ${revision}` });
const ownPipeline = 'stamp';

/** The same, with a transform, and a target that has a pipeline of its own in both of its places. */
export const transformedShape: Omit<Scenario, 'name'> = {
  ...shape,
  target: {
    ...shape.target,
    settings: {
      ...shape.target.settings,
      'index.default_pipeline': ownPipeline,
      'index.final_pipeline': ownPipeline,
    },
  },
  // An update of what was copied goes through the pipeline as a whole, and would be stamped rightly.
  writers: { ...shape.writers, makeDocument: oneField, mix: { partial: 0 } },
  transform: {
    script: { type: 'inline', source: "ctx._source.label = 'of ' + ctx._source.key" },
    expected: ({ source, ...identity }) => ({
      ...identity,
      source: { ...source, label: `of ${String(source['key'])}` },
    }),
  },
};

/** What the migration copies has a label, and the pipeline must not see it: a stamp on it is a difference. */
export function makeOwnPipeline({ http }: Environment): Promise<unknown> {
  return callJson(http, (answer) => answer, 'PUT', `/_ingest/pipeline/${ownPipeline}`, {
    processors: [{ set: { field: 'stamped', value: true, if: 'ctx.label != null' } }],
  });
}
