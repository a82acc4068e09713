import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'react-router';
import { useIsSessionKnown, useSession } from '../api/session';
import { Dialog } from './dialog';
import { SignInForm } from './sign-in-form';

/**
 * Asks for a sign-in first, where the API needs one, and keeps the address. A session that ends while the page is open
 * hides the page and keeps the text that was typed into it.
 */
export function Gate({ children }: { readonly children: ReactNode }) {
  const session = useSession();
  const isKnown = useIsSessionKnown();
  const { pathname } = useLocation();
  const name = session?.principal?.name;
  const before = useRef<string>(undefined);
  useEffect(() => {
    if (name === undefined) return;
    // The next person must not see what the person before has read.
    if (before.current !== undefined && before.current !== name) location.reload();
    before.current = name;
  }, [name]);
  if (!isKnown) return <p className="quiet">Asking the API…</p>;
  const isOut = session?.authentication === 'required' && name === undefined && pathname !== '/sign-in';
  if (isOut && before.current === undefined) {
    return (
      <div className="sign-in">
        <title>Sign in · AOSC</title>
        <h1>Sign in to AOSC</h1>
        <SignInForm />
      </div>
    );
  }
  return (
    <>
      {children}
      {isOut && (
        <Dialog title="Sign in again" isOpen isCurtain>
          <p>The session has ended. What you have typed is still there.</p>
          <SignInForm />
        </Dialog>
      )}
    </>
  );
}
