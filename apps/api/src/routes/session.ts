import { AoscError, type SessionAnswer } from '@aosc/contract';
import { mayTransform, type Principal } from '../auth/principal';
import { notesOf } from '../auth/request-notes';
import type { Session } from '../auth/session/sessions';
import type { ApiDependencies } from '../dependencies';
import type { Handlers } from '../http/mount';

/** Sign in, read who is signed in, sign out. */
export function handleSessions({
  authenticate,
  sessions,
}: Pick<ApiDependencies, 'authenticate' | 'sessions'>): Handlers {
  const authentication = authenticate === undefined ? 'none' : 'required';
  const describe = (principal?: Principal, session?: Session): SessionAnswer => ({
    authentication,
    ...(principal !== undefined && {
      principal: {
        name: principal.name,
        kind: principal.kind,
        roles: [...principal.roles],
        may_transform: mayTransform(principal),
        ...(principal.indexPatterns !== undefined && { index_patterns: [...principal.indexPatterns] }),
      },
    }),
    ...(session !== undefined && {
      csrf_token: session.csrfToken,
      expires_at_millis: session.expiresAtMillis,
    }),
  });

  return {
    aosc_get_session: ({ request, principal }) => describe(principal, notesOf(request).session),

    aosc_open_session({ request, response, principal, note }) {
      const refuse = (why: string) => new AoscError('illegal_argument', why);
      if (sessions === undefined || principal === undefined) {
        throw refuse('There is no user to sign in as: this API asks for no credentials');
      }
      // A session that could open the next one would never end.
      if (notesOf(request).session !== undefined) {
        throw refuse('Sign in with credentials: a session can not be made from another one');
      }
      const session = sessions.open(principal, response);
      note({ sessionUntilMillis: session.expiresAtMillis });
      return describe(principal, session);
    },

    async aosc_end_session({ request, response, note }) {
      const session = notesOf(request).session;
      await session?.end();
      sessions?.forget(response);
      note({ wasSignedIn: session !== undefined });
      return describe();
    },
  };
}
