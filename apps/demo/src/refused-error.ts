/** The demo does not begin on the given servers; the message says why, and what to do. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}
