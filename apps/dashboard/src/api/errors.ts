/** The API said no, or could not be asked. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    /** HTTP status; 0: there was no answer */
    readonly status: number,
    /** in the words of OpenSearch, as the API gives it */
    readonly type: string,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
