import type { Attributes } from '@opentelemetry/api';
import type { SpanFields } from './traces';

/** `sourceIndex` as `aosc.source_index`: names of traces have dots and no capitals. */
export function toAttributes(fields: SpanFields): Attributes {
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    attributes[`aosc.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`] = value;
  }
  return attributes;
}

/** A word for a failure, not its message, which may quote a document. */
export function nameFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'kind' in error && typeof error.kind === 'string' ? error.kind : error.name;
}
