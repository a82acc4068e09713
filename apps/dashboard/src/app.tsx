import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Tooltip } from 'radix-ui';
import { lazy, Suspense } from 'react';
import { BrowserRouter, Route, Routes } from 'react-router';
import { ApiError } from './api/errors';
import { FleetProvider } from './live/fleet-context';
import { Shell } from './ui/shell';
import { FleetView } from './views/fleet-view';

// The first view has the list alone; the others are read when they are asked for.
const MigrationView = lazy(() => import('./views/migration-view'));
const StartView = lazy(() => import('./views/start-view'));
const SettingsView = lazy(() => import('./views/settings-view'));
const StateView = lazy(() => import('./views/state-view'));
const SignInView = lazy(() => import('./views/sign-in-view'));

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // What the caller did wrong does not become right by asking again.
      retry: (count, error) =>
        count < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500),
      staleTime: 1_000,
    },
  },
});

export function App() {
  return (
    <QueryClientProvider client={queries}>
      <Tooltip.Provider delayDuration={300}>
        <BrowserRouter>
          <FleetProvider>
            <Shell>
              <Suspense fallback={<p className="quiet">Loading…</p>}>
                <Routes>
                  <Route path="/" element={<FleetView />} />
                  <Route path="/migrations/:index" element={<MigrationView />} />
                  <Route path="/start" element={<StartView />} />
                  <Route path="/settings" element={<SettingsView />} />
                  <Route path="/state" element={<StateView />} />
                  <Route path="/sign-in" element={<SignInView />} />
                  <Route path="*" element={<p>There is no such page here.</p>} />
                </Routes>
              </Suspense>
            </Shell>
          </FleetProvider>
        </BrowserRouter>
      </Tooltip.Provider>
    </QueryClientProvider>
  );
}
