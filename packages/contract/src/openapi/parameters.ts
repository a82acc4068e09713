import { Type } from '@sinclair/typebox';
import type { Parameter } from './operation';

export const sourceIndex: Parameter = {
  name: 'index',
  in: 'path',
  description: 'Name of the source index; no alias, no wildcard, no date math.',
  schema: Type.String({ minLength: 1 }),
};

export const migrationId: Parameter = {
  name: 'migration_id',
  in: 'path',
  description: 'As the start returned it, and as `_list` shows it.',
  schema: Type.String({ minLength: 1 }),
};

/** A flag of the query. */
export function flag(name: string, byDefault: boolean, description: string): Parameter {
  return { name, in: 'query', description, schema: Type.Boolean({ default: byDefault }) };
}

/** Accepted everywhere, as OpenSearch does; they change nothing. */
export const commonParameters: readonly Parameter[] = ['pretty', 'human', 'error_trace'].map((name) =>
  flag(name, false, 'Accepted as in OpenSearch; changes nothing.'),
);
