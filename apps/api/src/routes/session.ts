import { AoscError, type SessionAnswer } from '@aosc/contract';
import { Router } from 'express';
import { audited } from '../auth/audited-route';
import { mayTransform, type Principal } from '../auth/principal';
import { principalOf, sessionOf } from '../auth/request-notes';
import type { Session } from '../auth/session/sessions';
import type { ApiDependencies } from '../dependencies';
import { readQuery } from '../http/query';

/** `/_plugins/_aosc/_session`: sign in, read who is signed in, sign out. */
export function createSessionRoutes({
  authenticate,
  sessions,
}: Pick<ApiDependencies, 'authenticate' | 'sessions'>): Router {
  const router = Router({ caseSensitive: true });
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

  router.get('/_session', (request, response) => {
    readQuery(request, []);
    response.json(describe(principalOf(request), sessionOf(request)));
  });

  router.post(
    '/_session',
    audited('sign_in', {
      read: (request) => void readQuery(request, []),
      asked: () => ({}),
      run: (_wanted, request, response) => {
        const principal = principalOf(request);
        if (sessions === undefined || principal === undefined) {
          throw new AoscError(
            'illegal_argument',
            'There is no user to sign in as: this API asks for no credentials',
          );
        }
        // A session that could open the next one would never end.
        if (sessionOf(request) !== undefined) {
          throw new AoscError(
            'illegal_argument',
            'Sign in with credentials: a session can not be made from another one',
          );
        }
        const { cookie, session } = sessions.open(principal);
        response.setHeader('set-cookie', cookie);
        return Promise.resolve({
          answer: describe(principal, session),
          done: { sessionUntilMillis: session.expiresAtMillis },
        });
      },
    }),
  );

  router.delete(
    '/_session',
    audited('sign_out', {
      read: (request) => void readQuery(request, []),
      asked: () => ({}),
      run: async (_wanted, request, response) => {
        const session = sessionOf(request);
        await session?.end();
        if (sessions !== undefined) response.setHeader('set-cookie', sessions.farewell);
        return { answer: describe(), done: { wasSignedIn: session !== undefined } };
      },
    }),
  );

  return router;
}
