import type { Response } from 'express';
import { budgetsOfOne } from '../__tests__/budgets-of-one';
import { createLimits, pay, payHourly } from './limits';

function start(perSecond = 0) {
  const clock = { millis: 0 };
  const headers = new Map<string, string>();
  const response = { setHeader: (name: string, value: string) => headers.set(name, value) };
  return {
    clock,
    headers,
    limits: createLimits(
      budgetsOfOne(() => clock.millis),
      perSecond,
    ),
    response: response as unknown as Response,
  };
}

test.each([
  ['targets', 20],
  ['starts', 30],
] as const)('a limited credential has so many %s an hour, and another one its own', async (what, most) => {
  const { clock, limits } = start();
  for (let times = 0; times < most; times += 1) await payHourly(limits, what, 'api_key a');
  await expect(payHourly(limits, what, 'api_key a')).rejects.toMatchObject({
    code: 'rate_limited',
    message: expect.stringContaining(`[api_key a] has`) as string,
  });
  await payHourly(limits, what, 'user a');
  clock.millis = 3_600_000;
  await payHourly(limits, what, 'api_key a');
});

test('who asks too often is told when to come back', async () => {
  const { headers, limits, response } = start(1);
  for (let times = 0; times < 2; times += 1) await pay(limits.credentials, 'a', 1, response);
  await expect(pay(limits.credentials, 'a', 1, response)).rejects.toMatchObject({ code: 'rate_limited' });
  expect(headers.get('retry-after')).toBe('2');
});

test('0 is no limit, and what fails costs no more than there is', async () => {
  const { limits, response } = start(0);
  for (let times = 0; times < 1_000; times += 1) await pay(limits.addresses, 'a', 1, response);
  expect([1, 5, 6, 100].map((perSecond) => start(perSecond).limits.costOfFailure)).toEqual([2, 10, 11, 11]);
});
