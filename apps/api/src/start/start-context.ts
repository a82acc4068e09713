import type { ResolvedOptions } from '@aosc/contract';
import type { Call, IndexDescription, IndexRouting } from '@aosc/engine';
import type { StartRequest } from './start-request';

/** What the checks of a start look at: the request, and both indices as they are now. */
export interface StartContext {
  readonly request: StartRequest;
  readonly options: ResolvedOptions;
  readonly source: IndexDescription;
  readonly target: IndexDescription;
  readonly sourceRouting: IndexRouting;
  readonly targetRouting: IndexRouting;
  readonly call: Call;
}
