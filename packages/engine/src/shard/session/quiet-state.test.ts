import { QuietState } from './quiet-state';

const quiet = { epoch: 1, fenceReady: true, heartbeatAtMillis: 7, quietAtMillis: 7 };
const atOnce = () => Promise.resolve();

test('a job that has sent nothing knows what the record says', () => {
  expect(new QuietState().holds(quiet)).toBe(true);
  // Written by somebody who does not know the mark, or by nobody yet.
  expect(new QuietState().holds({ ...quiet, heartbeatAtMillis: 8 })).toBe(false);
  expect(new QuietState().holds({ epoch: 1, fenceReady: true, heartbeatAtMillis: 7 })).toBe(false);
});

test('a bulk ends the quiet, whatever the record says, and making sure brings it back', async () => {
  const state = new QuietState();
  state.noteDocumentsSent()();
  expect(state.holds(quiet)).toBe(false);
  await state.become(atOnce);
  expect(state.holds(quiet)).toBe(true);
  state.noteDocumentsSent()();
  expect(state.holds(quiet)).toBe(false);
});

test('a bulk that is sent while somebody makes sure is not known to have ended', async () => {
  const state = new QuietState();
  state.noteDocumentsSent()();
  await state.become(() => {
    state.noteDocumentsSent()();
    return Promise.resolve();
  });
  expect(state.holds(quiet)).toBe(false);
});

test('a bulk that is under way when somebody makes sure may not have reached a node yet', async () => {
  const state = new QuietState();
  const answered = state.noteDocumentsSent();
  await state.become(atOnce);
  expect(state.holds(quiet)).toBe(false);
  answered();
  expect(state.holds(quiet)).toBe(false);
  await state.become(atOnce);
  expect(state.holds(quiet)).toBe(true);
});

test('whoever has more to make sure of does not share the run of another', async () => {
  const state = new QuietState();
  let end = (): void => undefined;
  const first = state.become(() => new Promise<void>((resolve) => (end = resolve)));
  let ran = false;
  await state.becomeByOwnRun(() => {
    ran = true;
    return Promise.resolve();
  });
  expect(ran).toBe(true);
  end();
  await first;
});

test('callers share a run, but not one from before the last bulk', async () => {
  const state = new QuietState();
  let runs = 0;
  let end = (): void => undefined;
  const slow = (): Promise<void> => {
    runs += 1;
    return new Promise((resolve) => (end = resolve));
  };
  const first = state.become(slow);
  const second = state.become(slow);
  expect(runs).toBe(1);
  const endFirst = end;
  state.noteDocumentsSent()();
  const third = state.become(slow);
  expect(runs).toBe(2);
  endFirst();
  await Promise.all([first, second]);
  expect(state.holds(quiet)).toBe(false);
  end();
  await third;
  expect(state.holds(quiet)).toBe(true);
});

test('a run that fails makes nothing sure, and the next caller begins another', async () => {
  const state = new QuietState();
  state.noteDocumentsSent()();
  await expect(state.become(() => Promise.reject(new Error('no answer')))).rejects.toThrow('no answer');
  expect(state.holds(quiet)).toBe(false);
  await state.become(atOnce);
  expect(state.holds(quiet)).toBe(true);
});
