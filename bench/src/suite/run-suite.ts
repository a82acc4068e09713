import { noteCircumstances } from '../machine';
import { highThroughput } from '../profiles';
import { measureApplications } from './applications';
import { isCopyCase, planCopy } from './cases';
import { measureCopies } from './copy-case';
import { NotRunError } from './elasticdump-package';
import type { CaseName, SuiteOptions } from './options';
import type { CaseResult, SuiteResult } from './results';
import type { Surroundings } from './surroundings';
import { measureSustained } from './sustained';

/** Measures a case; another one in tests. */
export type MeasureCase = (
  name: CaseName,
  options: SuiteOptions,
  surroundings: Surroundings,
) => Promise<Exclude<CaseResult, { kind: 'not_run' | 'failed' }>>;

const unknownVersion = 'unknown';

/**
 * Measures one case after the other, each on servers of its own. One that fails does not take the others with it.
 * @param onCase is given everything so far whenever a case has ended, under one date and commit
 * @throws on abort
 */
export async function runSuite(
  options: SuiteOptions,
  say: (line: string) => void,
  signal: AbortSignal,
  onCase: (result: SuiteResult) => void,
  measure: MeasureCase = measureCase,
): Promise<SuiteResult> {
  const describe = noteCircumstances();
  const begin = describe(unknownVersion);
  let openSearch = unknownVersion;
  const cases: CaseResult[] = [];
  const surroundings: Surroundings = { say, signal, onVersion: (version) => (openSearch = version) };
  const { short, rounds, documents } = options;
  const soFar = (): SuiteResult => ({
    kind: 'suite',
    ...begin,
    machine: { ...begin.machine, openSearch },
    short,
    rounds,
    documents,
    settings: highThroughput,
    cases: [...cases],
  });
  for (const name of options.only) {
    say(`\n${name}`);
    cases.push(await tryCase(name, options, surroundings, measure));
    onCase(soFar());
  }
  return soFar();
}

async function tryCase(
  name: CaseName,
  options: SuiteOptions,
  surroundings: Surroundings,
  measure: MeasureCase,
): Promise<CaseResult> {
  try {
    return { ...(await measure(name, options, surroundings)), name };
  } catch (error) {
    surroundings.signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    const kind = error instanceof NotRunError ? 'not_run' : 'failed';
    surroundings.say(`${kind === 'failed' ? 'failed' : 'not run'}: ${reason}`);
    return { kind, reason, name };
  }
}

const ofOrders = { sourceShards: 4, targetShards: 8 } as const;

async function measureCase(
  name: CaseName,
  options: SuiteOptions,
  surroundings: Surroundings,
): ReturnType<MeasureCase> {
  if (isCopyCase(name))
    return { ...(await measureCopies(planCopy(name, options), options, surroundings)), name };
  const { short, rounds, documents } = options;
  if (name === 'sustained') {
    const plan = short
      ? { documents: 20_000, shares: [0.4, 0.8], maximumSeconds: 5, boundSeconds: 60 }
      : { documents: 500_000, shares: [0.2, 0.4, 0.6, 0.8], maximumSeconds: 30, boundSeconds: 600 };
    const own = {
      ...ofOrders,
      ...plan,
      ...(documents !== undefined && { documents }),
      maximumRounds: rounds,
    };
    return { ...(await measureSustained(own, surroundings)), name };
  }
  const plan = short ? { documents: 300_000, seconds: 5 } : { documents: 1_500_000, seconds: 15 };
  const own = { ...ofOrders, ...plan, ...(documents !== undefined && { documents }), rounds, rate: 500 };
  return { ...(await measureApplications(own, surroundings)), name };
}
