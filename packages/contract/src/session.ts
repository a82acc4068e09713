import { type Static, Type } from '@sinclair/typebox';
import { integer, maybe, text, truth } from './shapes';

/** The caller, as `_session` shows it. */
export const SessionAnswerSchema = Type.Object({
  authentication: Type.Union([Type.Literal('none'), Type.Literal('required')], {
    description: 'none: everybody who reaches the API may do everything',
  }),
  principal: maybe(
    Type.Object(
      {
        name: Type.String(),
        kind: Type.Union([Type.Literal('user'), Type.Literal('api_key')]),
        roles: Type.Array(Type.String()),
        may_transform: truth('whether it may give the cluster a script'),
        index_patterns: maybe(Type.Array(Type.String(), { description: 'absent: every index' })),
      },
      { description: 'absent: the caller has shown no credentials' },
    ),
  ),
  csrf_token: maybe(text('of a session: goes into x-aosc-csrf with each request that changes something')),
  expires_at_millis: maybe(integer('of a session, unless it is used before, epoch ms')),
});
export type SessionAnswer = Readonly<Static<typeof SessionAnswerSchema>>;

/** What the cookie of a session says. Times are epoch milliseconds. */
export const SessionClaimsSchema = Type.Object({
  /** of the session: the same as long as it is renewed */
  id: Type.String(),
  kind: Type.Union([Type.Literal('user'), Type.Literal('api_key')]),
  name: Type.String(),
  /** of the credential as it was: another password or other roles end the session */
  credential: Type.String(),
  /** when the caller showed the credential */
  sinceMillis: Type.Integer(),
  /** when this token was made */
  issuedMillis: Type.Integer(),
});
export type SessionClaims = Readonly<Static<typeof SessionClaimsSchema>>;
