import { createHmac, timingSafeEqual } from 'node:crypto';
import { createParser, type SessionClaims, SessionClaimsSchema } from '@aosc/contract';

const parse = createParser('session', SessionClaimsSchema);

/** A name has at most 128 characters; everything else has a fixed length. */
const maxLength = 1_024;

/** The text of a cookie: the claims, and the proof that this service wrote them. */
export function signToken(claims: SessionClaims, key: Buffer): string {
  const said = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${said}.${proofOf(said, key)}`;
}

/** @returns undefined: this service did not write it */
export function readToken(token: string, key: Buffer): SessionClaims | undefined {
  if (token.length > maxLength) return undefined;
  const [said = '', proof = '', ...rest] = token.split('.');
  if (rest.length > 0 || !isEqual(proof, proofOf(said, key))) return undefined;
  // The signature proves that this service wrote it, so another shape is a mistake of this service.
  return parse(JSON.parse(Buffer.from(said, 'base64url').toString('utf8')));
}

/** What a page has to show beside the cookie, which browsers add by themselves. */
export function csrfTokenOf({ id }: Pick<SessionClaims, 'id'>, key: Buffer): string {
  return createHmac('sha256', key).update(`csrf ${id}`).digest('base64url');
}

/** In constant time for texts of one length. */
export function isEqual(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}

function proofOf(said: string, key: Buffer): string {
  return createHmac('sha256', key).update(`session ${said}`).digest('base64url');
}
