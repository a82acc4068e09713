import type { Request } from 'express';
import type { Principal } from './principal';
import type { Session } from './session/sessions';

/** What is known of a request besides what it carries. Typed, and gone with the request. */
interface Notes {
  /** the door has let it in */
  hasEntered?: boolean;
  principal?: Principal;
  /** the user whose password it was not */
  refusedUser?: Principal;
  session?: Session;
  audit?: object;
}

const notes = new WeakMap<object, Notes>();

function add(request: Request, more: Notes): void {
  notes.set(request, { ...notes.get(request), ...more });
}

/** The request pays for itself, and the audit log records what becomes of it. */
export function noteEntered(request: Request): void {
  add(request, { hasEntered: true });
}

export function hasEntered(request: Request): boolean {
  return notes.get(request)?.hasEntered === true;
}

export function setPrincipal(request: Request, principal: Principal): void {
  add(request, { principal });
}

/** A user of this name exists, and the request brought another password. */
export function noteRefusedUser(request: Request, refusedUser: Principal): void {
  add(request, { refusedUser });
}

/** The caller is signed in by a cookie. */
export function setSession(request: Request, session: Session): void {
  add(request, { session, principal: session.principal });
}

/** @returns undefined: the caller has shown its credentials itself, or none */
export function sessionOf(request: Request): Session | undefined {
  return notes.get(request)?.session;
}

/** @returns undefined: the API runs without authentication, or the route is open */
export function principalOf(request: Request): Principal | undefined {
  return notes.get(request)?.principal;
}

/** Who the audit log names. It names only users that exist, because people type passwords into the name field. */
export function accusedOf(request: Request): Principal | undefined {
  return principalOf(request) ?? notes.get(request)?.refusedUser;
}

/** Adds fields to the audit line of this request. Never secrets. */
export function noteForAudit(request: Request, fields: object): void {
  add(request, { audit: { ...notes.get(request)?.audit, ...fields } });
}

export function auditNotesOf(request: Request): object {
  return notes.get(request)?.audit ?? {};
}
