import type { Logger, Metrics, Traces } from '@aosc/telemetry';
import type { Authenticator, LoadedAuthenticator } from './auth/authenticator';
import type { Sessions } from './auth/session/sessions';
import type { Connected } from './connect';
import type { AllowedHosts } from './http/allowed-hosts';
import type { PageFiles } from './page/page-files';
import type { Admission } from './limits/admission';
import type { Limits } from './limits/limits';

/** All that a handler needs to answer; an API process keeps nothing between requests. */
export interface ApiDependencies extends Connected {
  readonly logger: Logger;
  /** a stream of its own, whatever the log's level */
  readonly audit: Logger;
  readonly metrics: Metrics;
  readonly traces: Traces;
  /** epoch milliseconds */
  readonly now: () => number;
  /** undefined: each caller that reaches the API may do everything */
  readonly authenticate: Authenticator | undefined;
  /** the credential that is in use under this name */
  readonly findCredential?: LoadedAuthenticator['findCredential'] | undefined;
  /** whom a cookie signs in; undefined: this API has no sessions */
  readonly sessions?: Sessions | undefined;
  /** what callers may use up, shared by all processes */
  readonly limits: Limits;
  /** whether an address is that of a trusted proxy, whose `X-Forwarded-For` counts */
  readonly isTrustedProxy: (address: string) => boolean;
  /** a proxy ends the HTTPS that browsers come by */
  readonly isBehindTls: boolean;
  /** patterns of names with a leading dot that a start may use all the same */
  readonly hiddenIndices: readonly string[];
  /** migrations that may run at once of the indices that a credential is limited to */
  readonly limitedMigrations: number;
  /** how long the snapshots of workers live, as far as this process knows, in milliseconds */
  readonly snapshotKeepAliveMs: number;
  /** where starts, and what costs the cluster as much, wait; one for the process */
  readonly admission: Admission;
  /** the names that the API answers to; a request for another host comes from a page that misleads its browser */
  readonly hosts: AllowedHosts;
  /** undefined: it was not built */
  readonly page?: PageFiles | undefined;
}
