import { type ReactNode, useState } from 'react';
import { Link, NavLink } from 'react-router';
import { useSession } from '../api/session';
import { useFleet } from '../live/fleet-context';
import type { FleetState, Liveness } from '../live/fleet-store';
import { Gate } from './gate';
import { Icon, type IconName, Mark } from './icon';
import { Menu } from './menu';
import { SessionBadge } from './session-badge';
import { applyTheme, readTheme, type Theme, themes } from './theme';

const pages = [
  { to: '/', text: 'Migrations', icon: 'list' },
  { to: '/start', text: 'Start', icon: 'plus' },
  { to: '/settings', text: 'Settings', icon: 'sliders' },
  { to: '/state', text: 'State', icon: 'tool' },
] as const;

/** The frame of every page. */
export function Shell({ children }: { readonly children: ReactNode }) {
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="top">
        <Link to="/" className="brand">
          <Mark /> AOSC
        </Link>
        <nav aria-label="Pages">
          <ul>
            {pages.map(({ to, text, icon }) => (
              <li key={to}>
                <NavLink to={to} end={to === '/'}>
                  <Icon name={icon} /> {text}
                </NavLink>
              </li>
            ))}
            <li>
              <a href="/queues">
                <Icon name="layers" /> Queues
              </a>
            </li>
          </ul>
        </nav>
        <div className="top-side">
          <LiveBadge />
          <SessionBadge />
          <ThemeChoice />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        <Gate>{children}</Gate>
      </main>
    </>
  );
}

const livenessOf = ({ liveness }: FleetState): Liveness => liveness;

/** A screen reader says it only when it changes. */
function LiveBadge() {
  const liveness = useFleet(livenessOf);
  const session = useSession();
  // The API answers no caller who is not signed in, and that is no trouble of the connection.
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
  if (liveness.state === 'connecting') return 'Waiting for the first answer';
  if (liveness.by === 'polls') return 'No stream of events: the page asks every ten seconds';
  return liveness.by === 'other_tab'
    ? 'Another tab of this browser follows the API'
    : 'The API reports each change as it happens';
}

const themeNames: Readonly<Record<Theme, string>> = { system: 'As the system', light: 'Light', dark: 'Dark' };
const themeIcons: Readonly<Record<Theme, IconName>> = { system: 'screen', light: 'sun', dark: 'moon' };

function ThemeChoice() {
  const [theme, setTheme] = useState<Theme>(readTheme);
  return (
    <Menu
      label="Colours"
      value={theme}
      choices={themes}
      nameOf={(choice) => themeNames[choice]}
      face={<Icon name={themeIcons[theme]} />}
      onChoose={(next) => {
        setTheme(next);
        applyTheme(next);
      }}
    />
  );
}
