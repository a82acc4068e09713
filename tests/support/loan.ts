import type { LentServers } from '@aosc/testkit';
import { dropServers, lendServers, lookAfter, lookBefore, takeBack } from './shared-servers';
import type { ClusterWide } from './traces-left';

/** Of jest-circus's events, those that a loan follows. */
export type LoanEvent =
  | { readonly name: 'test_started' | 'test_done'; readonly test: { readonly errors: unknown[] } }
  | { readonly name: 'run_finish' };

/**
 * One file's use of the servers of its jest worker. A test fails by what it leaves cluster-wide, which is then removed.
 * The file fails by anything that is left behind its last hook.
 */
export class Loan {
  #isLent = false;
  #hasFailed = false;
  #before: readonly ClusterWide[] = [];

  begin(): Promise<LentServers> {
    this.#isLent = true;
    return lendServers();
  }

  /** @param state of jest-circus, whose `unhandledErrors` fail the file */
  async follow(event: LoanEvent, state: { readonly unhandledErrors: unknown[] }): Promise<void> {
    if (!this.#isLent) return;
    switch (event.name) {
      case 'test_started':
        // Jest does not run a test with an error. A rejection would end the file without its last hooks.
        this.#before = await lookBefore().catch((error: unknown) => {
          event.test.errors.push(error);
          return this.#before;
        });
        break;
      case 'test_done': {
        const left = await lookAfter(this.#before);
        if (left.length > 0) event.test.errors.push(leftBehind('The test', left));
        this.#hasFailed ||= event.test.errors.length > 0;
        break;
      }
      case 'run_finish': {
        this.#isLent = false;
        const left = await takeBack(this.#hasFailed || state.unhandledErrors.length > 0);
        if (left.length > 0) state.unhandledErrors.push(leftBehind('The file', left));
      }
    }
  }

  /** A file that has not come to its end may have work that goes on: the next file gets new servers. */
  async breakOff(): Promise<void> {
    if (this.#isLent) await dropServers();
  }
}

function leftBehind(what: string, left: readonly string[]): Error {
  const error = new Error(`${what} has left on servers that other files use next:\n${left.join('\n')}`);
  // The place in this file is of no use, and jest would show its code.
  error.stack = error.message;
  return error;
}
