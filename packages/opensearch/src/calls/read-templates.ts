import { byName, createParser, maybe } from '@aosc/contract';
import type { Call } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { getJson, requestJson, type OpenSearchClient } from '../client/request';

const Fields = byName(Type.Unknown());
const GivenSchema = Type.Object({
  settings: maybe(Fields),
  mappings: maybe(Fields),
  aliases: maybe(Fields),
});

const parseComposable = createParser(
  'answer of GET _index_template',
  Type.Object({
    index_templates: maybe(
      Type.Array(
        Type.Object({
          name: Type.String(),
          index_template: Type.Object({
            index_patterns: Type.Array(Type.String()),
            priority: maybe(Type.Number()),
            data_stream: maybe(Type.Object({})),
          }),
        }),
      ),
    ),
  }),
);
const parseLegacy = createParser(
  'answer of GET _template',
  byName(
    Type.Object({
      ...GivenSchema.properties,
      index_patterns: Type.Array(Type.String()),
      order: Type.Number(),
    }),
  ),
);
const parseSimulated = createParser(
  'answer of _index_template/_simulate',
  Type.Object({ template: maybe(GivenSchema) }),
);

/** What a template adds to the indices that it matches. */
export interface TemplateGifts {
  /** nested or flat, as they were written */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly mappings: Readonly<Record<string, unknown>>;
  /** names */
  readonly aliases: readonly string[];
}

interface TemplatePatterns {
  readonly name: string;
  readonly patterns: readonly string[];
}

export interface Templates {
  /** of those that match, only the one with the highest priority applies */
  readonly composable: readonly (TemplatePatterns & {
    readonly priority: number;
    readonly makesStreams: boolean;
  })[];
  /** all that match apply together if no composable one does; the highest order wins */
  readonly legacy: readonly (TemplatePatterns & TemplateGifts & { readonly order: number })[];
}

const patternFields = [
  'name',
  ...['index_patterns', 'priority', 'data_stream'].map((name) => `index_template.${name}`),
];

/** `GET _index_template` and `GET _template`: all templates. */
export async function readTemplates(client: OpenSearchClient, call: Call): Promise<Templates> {
  const fields = patternFields.map((field) => `index_templates.${field}`).join(',');
  const [composable, legacy] = await Promise.all([
    getJson(client, '/_index_template', { filter_path: fields }, parseComposable, call),
    getJson(client, '/_template', {}, parseLegacy, call),
  ]);
  return {
    composable: (composable.index_templates ?? []).map(({ name, index_template: template }) => ({
      name,
      patterns: template.index_patterns,
      priority: template.priority ?? 0,
      makesStreams: template.data_stream !== undefined,
    })),
    legacy: Object.entries(legacy).map(([name, { index_patterns: patterns, order, ...given }]) => {
      return { name, patterns, order, ...giftsOf(given) };
    }),
  };
}

/** A simulation by the template's name replaces `{index}` with a name of this form. */
const madeUpName = /simulate_template_index_[a-z0-9_-]{22}/g;

/** `POST _index_template/_simulate/{name}`: a composable template merged with its components. */
export async function simulateTemplate(
  client: OpenSearchClient,
  name: string,
  call: Call,
): Promise<TemplateGifts> {
  const what = {
    method: 'POST',
    path: `/_index_template/_simulate/${encodeURIComponent(name)}`,
    query: { filter_path: 'template' },
  } as const;
  const { aliases, ...given } = giftsOf(
    (await requestJson(client, what, parseSimulated, call)).template ?? {},
  );
  return { ...given, aliases: aliases.map((alias) => alias.replace(madeUpName, '{index}')) };
}

function giftsOf({
  settings = {},
  mappings = {},
  aliases = {},
}: {
  readonly settings?: TemplateGifts['settings'];
  readonly mappings?: TemplateGifts['mappings'];
  readonly aliases?: Readonly<Record<string, unknown>>;
}): TemplateGifts {
  return { settings, mappings, aliases: Object.keys(aliases) };
}
