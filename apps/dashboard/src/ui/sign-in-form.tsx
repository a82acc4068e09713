import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useId, useState } from 'react';
import { isStatus } from '../api/client';
import { type Credentials, sessionKey, signIn } from '../api/session';
import { ErrorNote, Note } from './parts';

/** Signs in with a user or an API key of the credentials file. The page keeps neither: a cookie stands for them. */

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
  const isWrong = isStatus(enter.error, 401);
  return (
    <form className="card stack" onSubmit={submit}>
      <div className="segments" role="group" aria-label="With">
        <button type="button" aria-pressed={isUser} onClick={() => change({ kind: 'user', secret: '' })}>
          Password
        </button>
        <button type="button" aria-pressed={!isUser} onClick={() => change({ kind: 'api_key', secret: '' })}>
          API key
        </button>
      </div>
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
        <Note kind="bad" role="alert" title="That is not right.">
          <p>The operator of the API keeps names and keys in its credentials file.</p>
        </Note>
      )}
      {enter.error !== null && !isWrong && <ErrorNote error={enter.error} title="You are not signed in" />}
      <button type="submit" className="button-main" disabled={enter.isPending}>
        Sign in
      </button>
    </form>
  );
}
