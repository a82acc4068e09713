/** An error as data: what a log line can hold. */
export interface SerializedError {
  readonly name: string;
  readonly message: string;
  readonly kind?: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: SerializedError;
  readonly errors?: readonly SerializedError[];
}

const maxDepth = 5;
const maxErrors = 5;

/**
 * Name, message and the chain of causes. Only the outermost error has its stack, since the causes' stacks repeat it.
 * The chain is cut after five, because a cause can lead back to its error.
 */
export function serializeError(error: unknown, depth = 0): SerializedError {
  if (!(error instanceof Error)) return { name: typeof error, message: describe(error) };
  const { kind, code } = error as { kind?: unknown; code?: unknown };
  const deeper = depth + 1 < maxDepth;
  return {
    name: error.name,
    message: error.message,
    ...(typeof kind === 'string' && { kind }),
    ...(typeof code === 'string' && { code }),
    ...(depth === 0 && error.stack !== undefined && { stack: error.stack }),
    ...(deeper && error.cause !== undefined && { cause: serializeError(error.cause, depth + 1) }),
    ...(deeper &&
      error instanceof AggregateError && {
        errors: error.errors.slice(0, maxErrors).map((inner: unknown) => serializeError(inner, depth + 1)),
      }),
  };
}

function describe(value: unknown): string {
  if (value === null || typeof value !== 'object') return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
