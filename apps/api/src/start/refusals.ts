import { AoscError, errorRegistry } from '@aosc/contract';
import { isClusterError } from '@aosc/engine';
import { preconditionFailed } from './check-indices';

/**
 * What a start is refused for. A start ends with the first refusal. A dry run goes on to the next check and reports all
 * refusals. Other errors (a cluster that does not answer) end both.
 */
export class Refusals {
  readonly #found: AoscError[] = [];

  constructor(private readonly collects: 'the first' | 'all' = 'the first') {}

  /** A copy of the refusals so far, for a look that may be repeated. */
  copy(): Refusals {
    const copied = new Refusals(this.collects);
    copied.#found.push(...this.#found);
    return copied;
  }

  get any(): boolean {
    return this.#found.length > 0;
  }

  /** @returns what the check has found out; undefined: it has refused, in a dry run */
  async attempt<T>(check: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await check();
    } catch (error) {
      if (error instanceof AoscError && errorRegistry[error.code].status < 500) this.add(error);
      // An index that was refused (for its primaries, or a block) can't answer further questions.
      else if (!this.any || !isClusterError(error)) throw error;
      return undefined;
    }
  }

  /** What is wrong with the two indices: one sentence in the answer to a start, one refusal each in a dry run. */
  refuse(problems: readonly string[]): void {
    if (problems.length === 0) return;
    if (this.collects === 'the first') throw preconditionFailed(problems.join('; '));
    for (const problem of problems) this.add(preconditionFailed(problem));
  }

  /** @throws AoscError the refusal, unless all are collected */
  add(refusal: AoscError): void {
    if (this.collects === 'the first') throw refusal;
    this.#found.push(refusal);
  }

  /** @throws AoscError the first refusal, with the others as further root causes */
  end(): never {
    const [first, ...further] = this.#found;
    if (first === undefined) throw new Error('a start is refused without a reason');
    throw new AoscError(first.code, first.message, { cause: first, further });
  }
}
