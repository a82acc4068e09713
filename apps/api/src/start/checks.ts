import {
  AoscError,
  errorRegistry,
  type PlanCheck,
  type PlanCheckId,
  planChecks,
  type MadeOfFiles,
  type ResolvedOptions,
} from '@aosc/contract';
import { isClusterError, type Call, type IndexDescription, type IndexRouting } from '@aosc/engine';
import { preconditionFailed } from './check-indices';
import type { StartRequest } from './start-request';

/** What is wrong with the two indices, by the check that has found it. */
export type Problems = readonly [PlanCheckId, readonly string[]];

/** What one check has found; neither: all is well. */
interface Found {
  readonly refusals: readonly AoscError[];
  readonly warnings: readonly string[];
}

const nothing: Found = { refusals: [], warnings: [] };

/**
 * The checks of a start, by their ids. A start ends with the first refusal. A dry run and a plan go on to the next check.
 * Other errors (a cluster that does not answer) end all of them.
 */
export class Checks {
  #found: ReadonlyMap<PlanCheckId, Found> = new Map();

  constructor(readonly purpose: 'start' | 'dry_run' | 'plan' = 'start') {}

  /** A copy of what was found so far, for a look that may be repeated. */
  copy(): Checks {
    const copied = new Checks(this.purpose);
    copied.#found = this.#found;
    return copied;
  }

  get refused(): boolean {
    return this.#refusals().length > 0;
  }

  /** @returns what the check has found out; undefined: it has refused, and a start does not get here */
  async attempt<T>(id: PlanCheckId, check: () => T | Promise<T>): Promise<T | undefined> {
    try {
      const result = await check();
      this.#add(id, {});
      return result;
    } catch (error) {
      const refuses = error instanceof AoscError && errorRegistry[error.code].status < 500;
      if (refuses || (error instanceof AoscError && this.purpose === 'plan')) this.refuse(id, [error]);
      // An index that was refused (for its primaries, or a block) can't answer further questions.
      else if (!this.refused || !isClusterError(error)) throw error;
      return undefined;
    }
  }

  /** What is wrong with the two indices: one sentence in the answer to a start, one refusal each in a dry run. */
  refuseTogether(problems: readonly Problems[]): void {
    const all = problems.flatMap(([, texts]) => texts);
    if (this.purpose === 'start' && all.length > 0) throw preconditionFailed(all.join('; '));
    for (const [id, texts] of problems) this.refuse(id, texts.map(preconditionFailed));
  }

  /** @throws AoscError the refusal, unless all are collected */
  refuse(id: PlanCheckId, refusals: readonly AoscError[]): void {
    const [first] = refusals;
    if (this.purpose === 'start' && first !== undefined) throw first;
    this.#add(id, { refusals });
  }

  /**
   * A look of which a start knows nothing.
   * @param find each text is a warning; undefined: what it would look at is not there
   */
  async warn(
    id: PlanCheckId,
    find: () => readonly string[] | undefined | Promise<readonly string[] | undefined>,
  ): Promise<void> {
    try {
      const warnings = await find();
      if (warnings !== undefined) this.#add(id, { warnings });
    } catch (error) {
      if (isClusterError(error, 'forbidden'))
        this.#add(id, { warnings: [`the user of the service may not look: ${error.message}`] });
      else if (!this.refused || !isClusterError(error)) throw error;
    }
  }

  /** @throws AoscError the first refusal, with the others as further root causes */
  end(): never {
    const [first, ...further] = this.#refusals();
    if (first === undefined) throw new Error('a start is refused without a reason');
    throw new AoscError(first.code, first.message, { cause: first, further });
  }

  /** All checks that were made, in their order. */
  list(): readonly PlanCheck[] {
    return [...this.#found].map(([id, { refusals, warnings }]) => {
      const { ok, remedy } = planChecks[id];
      const texts = [...refusals.map(({ message }) => message), ...warnings];
      if (texts.length === 0) return { id, verdict: 'ok', evidence: ok };
      return { id, verdict: refusals.length > 0 ? 'refuse' : 'warn', evidence: texts.join('; '), remedy };
    });
  }

  #refusals(): readonly AoscError[] {
    return [...this.#found.values()].flatMap(({ refusals }) => refusals);
  }

  #add(id: PlanCheckId, { refusals = [], warnings = [] }: Partial<Found>): void {
    const before = this.#found.get(id) ?? nothing;
    const found = {
      refusals: [...before.refusals, ...refusals],
      warnings: [...before.warnings, ...warnings],
    };
    this.#found = new Map([...this.#found, [id, found]]);
  }
}

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
