import { useNavigate } from 'react-router';
import { useSession } from '../api/session';
import { SignInForm } from '../ui/sign-in-form';

export default function SignInView() {
  const session = useSession();
  const navigate = useNavigate();
  return (
    <>
      <title>Sign in · AOSC</title>
      <h1>Sign in</h1>
      {session?.authentication === 'none' ? (
        <p>This API asks nobody for credentials: there is nothing to do here.</p>
      ) : (
        <SignInForm onDone={() => navigate('/')} />
      )}
    </>
  );
}
