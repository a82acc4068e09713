import { createLoginQueue } from './login-queue';

const wrong = () => Promise.resolve(false);
const right = () => Promise.resolve(true);
const never = () => new Promise<boolean>(() => undefined);
/** As many as the queue has places, and one that runs. */
const flood = 129;

/** A check that runs until it is told to end. */
function held() {
  let end: () => void = () => undefined;
  const isWrong = new Promise<boolean>((resolve) => (end = () => resolve(false)));
  return { verify: () => isWrong, end };
}

test('the 65,536 networks of one site keep nobody elsewhere out', async () => {
  const logins = createLoginQueue(1);
  const guesser = (number: number) => `2001:db8:1:${number.toString(16)}::/64`;
  expect(await logins.check(guesser(0), wrong)).toBe(false);
  const first = held();
  const guesses = Array.from({ length: flood }, (_, number) =>
    logins.check(guesser(number + 1), number === 0 ? first.verify : wrong),
  );
  const good = logins.check('2001:db8:2:0::/64', right);
  const late = logins.check(guesser(flood + 1), never);
  first.end();
  expect(await good).toBe(true);
  expect(await late).toBeUndefined();
  expect((await Promise.all(guesses)).filter((one) => one === undefined)).toHaveLength(1);
});

test('who has sent a right password is not behind for what its neighbours send', async () => {
  const logins = createLoginQueue(1);
  const [good, guesser, other] = ['2001:db8:1:a::/64', '2001:db8:1:b::/64', '2001:db8:1:c::/64'];
  const order: string[] = [];
  const noting = (name: string) => () => {
    order.push(name);
    return Promise.resolve(false);
  };
  expect(await logins.check(good, right)).toBe(true);
  expect(await logins.check(guesser, wrong)).toBe(false);
  const first = held();
  const all = [
    logins.check('192.0.2.1', first.verify),
    logins.check(other, noting('other')),
    logins.check(good, noting('good')),
  ];
  first.end();
  await Promise.all(all);
  expect(order).toEqual(['good', 'other']);
});
