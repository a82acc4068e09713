import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { BrowserRouter, Link, Route, Routes } from 'react-router';
import { isStatus, isWorthRetrying } from './api/client';
import { readSession, sessionKey } from './api/session';
import { FleetProvider } from './live/fleet-context';
import { ViewBoundary } from './ui/error-boundary';
import { MomentTip } from './ui/moment-tip';
import { Shell } from './ui/shell';
import { FleetView } from './views/fleet-view';

// The first view needs only the list; the others are loaded when they are opened.
const importMigration = () => import('./views/migration-view');
const MigrationView = lazy(importMigration);
const ReportView = lazy(() => import('./views/report-view'));
const StartView = lazy(() => import('./views/start-view'));
const SettingsView = lazy(() => import('./views/settings-view'));
const StateView = lazy(() => import('./views/state-view'));
const SignInView = lazy(() => import('./views/sign-in-view'));

/** The next request after the end of a session notices it, and not a timer five minutes later. */
function noticeEnd(error: Error): void {
  if (isStatus(error, 401)) {
    void queries.invalidateQueries({ queryKey: sessionKey });
  }
}

const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeEnd }),
  mutationCache: new MutationCache({ onError: noticeEnd }),
  defaultOptions: {
    queries: {
      // A mistake of the caller does not become right on another try.
      retry: (count, error) => count < 2 && isWorthRetrying(error),
      staleTime: 1_000,
    },
  },
});

// Both are on their way while the first drawing is made. Their users show the failures.
queries.query({ queryKey: sessionKey, queryFn: readSession }).catch(() => undefined);
if (location.pathname.startsWith('/migrations/')) importMigration().catch(() => undefined);

export function App() {
  return (
    <QueryClientProvider client={queries}>
      <BrowserRouter>
        <FleetProvider>
          <Shell>
            <ViewBoundary>
              <Suspense fallback={<p className="quiet">Loading…</p>}>
                <Routes>
                  <Route path="/" element={<FleetView />} />
                  <Route path="/migrations/:index" element={<MigrationView />} />
                  <Route path="/migrations/:index/:id" element={<MigrationView />} />
                  <Route path="/migrations/:index/:id/report" element={<ReportView />} />
                  <Route path="/start" element={<StartView />} />
                  <Route path="/settings" element={<SettingsView />} />
                  <Route path="/state" element={<StateView />} />
                  <Route path="/sign-in" element={<SignInView />} />
                  <Route path="*" element={<NoSuchPage />} />
                </Routes>
              </Suspense>
            </ViewBoundary>
          </Shell>
        </FleetProvider>
      </BrowserRouter>
      <MomentTip />
    </QueryClientProvider>
  );
}

function NoSuchPage() {
  return (
    <div className="empty">
      <title>No such page · AOSC</title>
      <h1>There is no such page here</h1>
      <p>
        <Link to="/">All migrations</Link> are a good place to begin.
      </p>
    </div>
  );
}
