import { useNavigate } from 'react-router';
import { useSession } from '../api/session';
import { SignInForm } from '../ui/sign-in-form';

export default function SignInView() {
  const session = useSession();
  const navigate = useNavigate();
  return (
    <div className="sign-in">
      <title>Sign in · AOSC</title>
      <h1>Sign in to AOSC</h1>
      {session?.authentication === 'none' ? (
        <p>This API needs no credentials: there is nothing to do here.</p>
      ) : (
        <SignInForm onDone={() => navigate('/')} />
      )}
    </div>
  );
}
