import { TestEnvironment } from 'jest-environment-node';
import { Loan, type LoanEvent } from './loan';

const areServersGiven = Boolean(process.env['AOSC_OPENSEARCH_URL'] || process.env['AOSC_REDIS_URL']);

/** Lends a file the servers of its jest worker when it calls `borrowStack()`, and checks what the file leaves there. */
class LendingEnvironment extends TestEnvironment {
  readonly #loan = new Loan();

  override async setup(): Promise<void> {
    await super.setup();
    // Given servers hold what is not ours to clear.
    if (!areServersGiven) this.global.lendServers = () => this.#loan.begin();
  }

  /** Jest waits for it before it goes on with the file. */
  handleTestEvent(event: LoanEvent, state: { readonly unhandledErrors: unknown[] }): Promise<void> {
    return this.#loan.follow(event, state);
  }

  override async teardown(): Promise<void> {
    await this.#loan.breakOff();
    await super.teardown();
  }
}

/** @public jest takes the default export. */
export default LendingEnvironment;
