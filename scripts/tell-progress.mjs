import { performance } from 'node:perf_hooks';

/** A reporter of jest: after each file, how many are left, and about how long they take, by the pace of those that have run. */
class TellProgress {
  #beganAt = 0;

  onRunStart() {
    this.#beganAt = performance.now();
  }

  onTestResult(
    _test,
    _result,
    { numTotalTestSuites, numPassedTestSuites, numFailedTestSuites, numPendingTestSuites },
  ) {
    const done = numPassedTestSuites + numFailedTestSuites + numPendingTestSuites;
    const left = numTotalTestSuites - done;
    if (done === 0 || left === 0) return;
    const seconds = ((performance.now() - this.#beganAt) / 1000 / done) * left;
    process.stderr.write(`  ${done} of ${numTotalTestSuites} files, about ${describe(seconds)} left\n`);
  }
}

function describe(seconds) {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

/** @public jest takes the default export. */
export default TellProgress;
