import { Component, type ReactNode } from 'react';
import { useLocation } from 'react-router';
import { messageOf } from '../api/client';
import { useFleet } from '../live/fleet-context';
import { Note } from './parts';

/** Keeps the head of the page when a view breaks, or can't be loaded because a newer version has replaced it. */
export function ViewBoundary({ children }: { readonly children: ReactNode }) {
  // Opening another view is another try.
  return <Boundary key={useLocation().pathname}>{children}</Boundary>;
}

interface State {
  readonly error: unknown;
}

/** React offers this only to classes. */
class Boundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { error: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return <Broken error={error} />;
  }
}

/** A part of the page can't be loaded while the API is away, or when another version has replaced it. */
function Broken({ error }: { readonly error: unknown }) {
  const isAway = useFleet(({ liveness }) => liveness.state !== 'live');
  return (
    <div className="stack">
      <h1>{isAway ? 'The API does not answer' : 'This view does not work'}</h1>
      <Note kind="bad" role="alert" title={isAway ? 'This view can not be read now.' : messageOf(error)}>
        <p>
          {isAway
            ? 'Start the API, or check the network. Migrations go on in any case.'
            : 'Load the page again: the API may have another version than the page. Migrations go on in any case.'}
        </p>
      </Note>
      <div className="buttons">
        <button type="button" onClick={() => location.reload()}>
          Load the page again
        </button>
      </div>
    </div>
  );
}
