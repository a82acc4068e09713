/**
 * Set up before each integration file: one that begins after `TESTS_BEGIN_UNTIL` (epoch milliseconds) skips its
 * tests and says so. CI on a slow machine then ends with a count of what has run, where its bound would refuse the
 * change. Left out, or empty: all files run. Not `AOSC_…`: the
 * service refuses variables of that name that it does not know, and its processes inherit this one.
 */
const until = Number(process.env['TESTS_BEGIN_UNTIL'] || Infinity);

if (Date.now() > until) {
  console.warn(
    `${expect.getState().testPath ?? 'a file'} is skipped: it would begin when CI has hardly any time left`,
  );
  const { skip, todo } = test;
  const late: jest.It = Object.assign((...args: Parameters<jest.It>) => skip(...args), {
    each: skip.each,
    skip,
    only: skip,
    failing: skip,
    concurrent: skip,
    todo,
  });
  globalThis.test = late;
  globalThis.it = late;
}
