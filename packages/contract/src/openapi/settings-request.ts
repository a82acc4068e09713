import { Type } from '@sinclair/typebox';
import { maybe } from '../shapes';
import { type SettingDefinition, settingsTable } from '../settings-table';

/**
 * What `PUT /_cluster/settings` takes: each setting by its full name. `parseSetting` judges the values, because
 * units are beyond a schema; the same table is behind both.
 */
const ScopeSchema = Type.Unsafe({
  type: ['object', 'null'],
  description:
    'Settings by full name, or as nested objects; null resets one, or many with a wildcard (aosc.backfill.*).',
  properties: Object.fromEntries(
    Object.entries(settingsTable).map(([name, definition]) => [name, schemaOf(definition)]),
  ),
  additionalProperties: true,
});

export const SettingsRequestSchema = Type.Object(
  { persistent: maybe(ScopeSchema), transient: maybe(ScopeSchema) },
  { additionalProperties: false, minProperties: 1 },
);

function schemaOf(definition: SettingDefinition): object {
  const { min, max, description } = definition;
  const range = [
    ...(min === undefined ? [] : [`at least ${min}`]),
    ...(max === undefined ? [] : [`at most ${max}`]),
  ].join(', ');
  const words = [description, range].filter((part) => part !== '').join('; ');
  return { description: words, default: definition.default, ...shapeOf(definition) };
}

function shapeOf(definition: SettingDefinition): object {
  const limits = {
    ...(definition.min === undefined ? {} : { minimum: Number(definition.min) }),
    ...(definition.max === undefined ? {} : { maximum: Number(definition.max) }),
  };
  switch (definition.type) {
    case 'int':
    case 'millis':
      return { type: ['integer', 'string', 'null'], ...limits };
    case 'double':
      return { type: ['number', 'string', 'null'], ...limits };
    case 'time':
    case 'bytes':
      return { type: ['string', 'integer', 'null'] };
    case 'boolean':
      return { type: ['boolean', 'string', 'null'] };
    case 'enum':
      return { type: ['string', 'null'], examples: [...definition.values] };
    case 'json-object':
      return { type: ['object', 'string', 'null'] };
  }
}
