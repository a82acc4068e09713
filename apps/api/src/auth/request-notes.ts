import type { Request } from 'express';
import type { Principal } from './principal';
import type { Session } from './session/sessions';

/** What is known of a request besides what it carries. Typed, and gone with the request. */
interface Notes {
  principal?: Principal;
  session?: Session;
  audit?: Readonly<Record<string, unknown>>;
}

const notes = new WeakMap<object, Notes>();

function add(request: Request, more: Notes): void {
  notes.set(request, { ...notes.get(request), ...more });
}

export function setPrincipal(request: Request, principal: Principal): void {
  add(request, { principal });
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

/** Adds fields to the audit line of this request. Never secrets. */
export function noteForAudit(request: Request, fields: Readonly<Record<string, unknown>>): void {
  add(request, { audit: { ...notes.get(request)?.audit, ...fields } });
}

export function auditNotesOf(request: Request): Readonly<Record<string, unknown>> {
  return notes.get(request)?.audit ?? {};
}
