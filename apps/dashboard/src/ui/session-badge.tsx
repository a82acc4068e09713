import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { sessionKey, signOut, useSession } from '../api/session';

/** Who is signed in, and the way out. */
export function SessionBadge() {
  const session = useSession();
  const queries = useQueryClient();
  const leave = useMutation({
    mutationFn: signOut,
    onSuccess: async (answer) => {
      queries.setQueryData(sessionKey, answer);
      await queries.resetQueries();
    },
  });
  if (session === undefined || session.authentication === 'none') return undefined;
  if (session.principal === undefined) return <Link to="/sign-in">Sign in</Link>;
  const { name, roles } = session.principal;
  return (
    <p className="session">
      <span title={`Role: ${roles.join(', ')}`}>{name}</span>{' '}
      <button type="button" onClick={() => leave.mutate()}>
        Sign out
      </button>
    </p>
  );
}
