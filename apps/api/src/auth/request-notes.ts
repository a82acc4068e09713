import type { Request } from 'express';
import type { Principal } from './principal';

/** What is known of a request besides what it carries. Typed, and gone with the request. */
interface Notes {
  principal?: Principal;
  audit?: Readonly<Record<string, unknown>>;
}

const notes = new WeakMap<object, Notes>();

function add(request: Request, more: Notes): void {
  notes.set(request, { ...notes.get(request), ...more });
}

export function setPrincipal(request: Request, principal: Principal): void {
  add(request, { principal });
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
