/** Values by name, as JSON has them. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether JSON has an object here, and not a list, a single value or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
