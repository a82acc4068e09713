import { createGate } from './gate';

const never = new AbortController().signal;

test('close() resolves when every writer waits, and open() lets them on', async () => {
  const gate = createGate(2);
  const events: string[] = [];
  const closed = gate.close().then(() => events.push('all wait'));
  const first = gate.pass(never).then(() => events.push('first passed'));
  await Promise.resolve();
  expect(events).toEqual([]);
  const second = gate.pass(never).then(() => events.push('second passed'));
  await closed;
  expect(events).toEqual(['all wait']);
  gate.open();
  await Promise.all([first, second]);
  expect(events).toEqual(['all wait', 'first passed', 'second passed']);
});

test('a writer that has ended is not waited for', async () => {
  const gate = createGate(2);
  gate.leave();
  gate.leave();
  await gate.close();
});

test('stop() ends the writers that wait and those that come', async () => {
  const gate = createGate(1);
  const closed = gate.close();
  const waiting = gate.pass(never);
  await closed;
  gate.stop();
  expect(await waiting).toBe(false);
  expect(await gate.pass(never)).toBe(false);
});
