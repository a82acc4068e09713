import { useMutation } from '@tanstack/react-query';
import { Link } from 'react-router';
import { signOut, useSession } from '../api/session';
import { Icon } from './icon';

/** Who is signed in, and the way out. */
export function SessionBadge() {
  const session = useSession();
  const leave = useMutation({
    mutationFn: signOut,
    // A fresh load of the page knows nothing of the person before.
    onSuccess: () => location.assign('/sign-in'),
  });
  if (session === undefined || session.authentication === 'none') return undefined;
  if (session.principal === undefined) return <Link to="/sign-in">Sign in</Link>;
  const { name, roles } = session.principal;
  return (
    <p className="row session">
      <span>
        {name} <span className="quiet">({roles.join(', ')})</span>
      </span>
      <button type="button" className="button-bare" title="Sign out" onClick={() => leave.mutate()}>
        <Icon name="leave" /> <span className="hidden">Sign out</span>
      </button>
    </p>
  );
}
