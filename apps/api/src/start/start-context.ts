import type { MadeOfFiles, ResolvedOptions } from '@aosc/contract';
import type { Call, IndexDescription, IndexRouting } from '@aosc/engine';
import type { StartRequest } from './start-request';

/** What the checks of a start look at: the request, and both indices as they are now. */
export interface StartContext {
  readonly request: StartRequest;
  readonly options: ResolvedOptions;
  readonly source: IndexDescription;
  readonly target: IndexDescription;
  /** The target is to be made of files, and not there yet. */
  readonly files?: MadeOfFiles | undefined;
  readonly sourceRouting: IndexRouting;
  /** undefined: there is no target yet */
  readonly targetRouting: IndexRouting | undefined;
  readonly call: Call;
}
