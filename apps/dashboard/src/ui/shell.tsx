import { type ReactNode, useState } from 'react';
import { NavLink } from 'react-router';
import { useSession } from '../api/session';
import { useFleet } from '../live/fleet-context';
import type { FleetState, Liveness } from '../live/fleet-store';
import { Gate } from './gate';
import { SessionBadge } from './session-badge';
import { applyTheme, readTheme, type Theme, themes } from './theme';

const pages = [
  { to: '/', text: 'Migrations' },
  { to: '/start', text: 'Start' },
  { to: '/settings', text: 'Settings' },
  { to: '/state', text: 'State' },
] as const;

/** What every page has around it. */
export function Shell({ children }: { readonly children: ReactNode }) {
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="top">
        <p className="brand">AOSC</p>
        <nav aria-label="Pages">
          <ul>
            {pages.map(({ to, text }) => (
              <li key={to}>
                <NavLink to={to} end={to === '/'}>
                  {text}
                </NavLink>
              </li>
            ))}
            <li>
              <a href="/queues">Queues</a>
            </li>
          </ul>
        </nav>
        <LiveBadge />
        <SessionBadge />
        <ThemeChoice />
      </header>
      <main id="content" tabIndex={-1}>
        <Gate>{children}</Gate>
      </main>
    </>
  );
}

const livenessOf = ({ liveness }: FleetState): Liveness => liveness;

/** Said aloud only when it changes. */
function LiveBadge() {
  const liveness = useFleet(livenessOf);
  const session = useSession();
  // Nothing is told to who is not signed in: that is no trouble of the connection.
  if (session?.authentication === 'required' && session.principal === undefined) return undefined;
  return (
    <p className={`live live-${liveness.state}`} role="status" title={titleOf(liveness)}>
      <span aria-hidden="true" className="dot" />
      {liveness.state === 'live' ? 'Live' : liveness.state === 'connecting' ? 'Connecting' : 'Not live'}
    </p>
  );
}

function titleOf(liveness: Liveness): string {
  if (liveness.state === 'trouble') return `What is shown may be old: ${liveness.reason}`;
  if (liveness.state === 'connecting') return 'Waiting for the first look';
  if (liveness.by === 'polls') return 'There is no stream of events: asked for every ten seconds';
  return liveness.by === 'other_tab'
    ? 'Told by another tab of this browser'
    : 'Told by the API as it happens';
}

function ThemeChoice() {
  const [theme, setTheme] = useState<Theme>(readTheme);
  return (
    <label className="theme">
      <span className="hidden">Colours</span>
      <select
        value={theme}
        onChange={({ target }) => {
          const next = themes.find((one) => one === target.value) ?? 'system';
          setTheme(next);
          applyTheme(next);
        }}
      >
        <option value="system">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}
