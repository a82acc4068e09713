import { Component, type ReactNode } from 'react';
import { useLocation } from 'react-router';
import { messageOf } from '../api/errors';

/** Keeps the head of the page when a view breaks, or can't be loaded because a newer one has taken its place. */
export function ViewBoundary({ children }: { readonly children: ReactNode }) {
  // Another view is another try.
  return <Boundary key={useLocation().pathname}>{children}</Boundary>;
}

interface State {
  readonly error: unknown;
}

/** React knows no function that does this. */
class Boundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { error: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <div className="note note-bad" role="alert">
        <h1>This view does not work</h1>
        <p className="said">{messageOf(error)}</p>
        <p>
          When the API was replaced by another version, the page has to be loaded again. Migrations go on in
          any case.
        </p>
        <button type="button" onClick={() => location.reload()}>
          Load the page again
        </button>
      </div>
    );
  }
}
