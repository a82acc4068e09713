import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useId, useState } from 'react';
import { ApiError } from '../api/errors';
import { type Credentials, sessionKey, signIn } from '../api/session';
import { ErrorNote } from './parts';

/** With a user or an API key of the credentials file. The page keeps neither: a cookie stands for them. */
// eslint-disable-next-line max-lines-per-function -- the markup of one form, from top to bottom
export function SignInForm({ onDone }: { readonly onDone?: () => unknown }) {
  const queries = useQueryClient();
  const [credentials, setCredentials] = useState<Credentials>({ kind: 'user', name: '', secret: '' });
  const id = useId();
  const enter = useMutation({
    mutationFn: signIn,
    onSuccess: async (answer) => {
      queries.setQueryData(sessionKey, answer);
      await queries.invalidateQueries();
      await onDone?.();
    },
  });
  const change = (parts: Partial<Credentials>): void => {
    enter.reset();
    setCredentials((before) => ({ ...before, ...parts }));
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    enter.mutate(credentials);
  };
  const isUser = credentials.kind === 'user';
  const isWrong = enter.error instanceof ApiError && enter.error.status === 401;
  return (
    <>
      <form className="part" onSubmit={submit}>
        <fieldset>
          <legend>With</legend>
          <label className="check">
            <input
              type="radio"
              name={`${id}-kind`}
              checked={isUser}
              onChange={() => change({ kind: 'user', secret: '' })}
            />{' '}
            a name and a password
          </label>
          <label className="check">
            <input
              type="radio"
              name={`${id}-kind`}
              checked={!isUser}
              onChange={() => change({ kind: 'api_key', secret: '' })}
            />{' '}
            an API key
          </label>
        </fieldset>
        {isUser && (
          <div className="field">
            <label htmlFor={`${id}-name`}>Name</label>
            <input
              id={`${id}-name`}
              autoComplete="username"
              required
              value={credentials.name}
              onChange={({ target }) => change({ name: target.value })}
            />
          </div>
        )}
        <div className="field">
          <label htmlFor={`${id}-secret`}>{isUser ? 'Password' : 'API key'}</label>
          <input
            id={`${id}-secret`}
            type="password"
            autoComplete="current-password"
            required
            value={credentials.secret}
            onChange={({ target }) => change({ secret: target.value })}
          />
        </div>
        {isWrong && (
          <p className="note note-bad" role="alert">
            That is not right. The operator of the API keeps names and keys in its credentials file.
          </p>
        )}
        {enter.error !== null && !isWrong && <ErrorNote error={enter.error} title="Nobody was signed in" />}
        <button type="submit" className="button-main" disabled={enter.isPending}>
          Sign in
        </button>
      </form>
      <p className="quiet">It lasts for 15 minutes after the last use, and for eight hours at most.</p>
    </>
  );
}
