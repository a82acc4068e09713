import type { Principal } from './principal';
import type { Session } from './session/sessions';

/** What is known of a request besides what it carries. */
interface Notes {
  /** the request pays for itself, and the audit log records what becomes of it */
  hasEntered?: boolean;
  /** undefined: the API runs without authentication, or the route is open */
  principal?: Principal | undefined;
  /** a user of this name exists, and the request brought another password */
  refusedUser?: Principal | undefined;
  /** the caller is signed in by a cookie */
  session?: Session | undefined;
  /** more fields of the request's audit line, never secrets */
  readonly audit: object;
}

const notes = new WeakMap<object, Notes>();

/** The notes of a request, to read and to add to. They go with the request. */
export function notesOf(request: object): Notes {
  const own = notes.get(request) ?? { audit: {} };
  notes.set(request, own);
  return own;
}
