import type { ControllerSettings } from '@aosc/contract';
import { createController, underWriteBlock, type WriterSettings } from '..';
import { failure, success } from './__tests__/reports';
import { backfillSettings } from './__tests__/settings';

const MB = 2 ** 20;
const noChance = () => 0;
const create = (
  type: 'fixed' | 'adaptive_batch' | 'adaptive',
  settings: ControllerSettings,
  random: () => number = noChance,
) => createController(() => ({ controllerType: type, controller: settings }), random);

describe('backoff, the same for every controller', () => {
  const settings = backfillSettings({ 'overload.base_pause': '1000', 'overload.max_pause': '5000' });
  const pause = (pauseMs: number) => ({ action: 'pause', pauseMs });

  test('pauses double up to the longest and shrink by one step with each success', () => {
    const controller = create('fixed', settings);
    const fail = () => controller.observe(failure(controller.limits()));
    const succeed = () => controller.observe(success(controller.limits()));
    expect([fail(), fail(), fail(), fail()]).toEqual([1000, 2000, 4000, 5000].map(pause));
    succeed();
    succeed();
    succeed();
    expect(fail()).toEqual(pause(2000));
    for (let i = 0; i < 9; i++) expect(succeed()).toEqual({ action: 'continue' });
    expect(fail()).toEqual(pause(1000));
  });

  test('up to a quarter is added by chance, to the longest pause too', () => {
    const controller = create('fixed', settings, () => 0.5);
    for (const pauseMs of [1125, 2250, 4500, 5625, 5625]) {
      expect(controller.observe(failure(controller.limits()))).toEqual(pause(pauseMs));
    }
  });

  test('transient failures pause as overload does', () => {
    const controller = create('adaptive_batch', settings);
    expect(controller.observe(failure(controller.limits(), 'transient'))).toEqual(pause(1000));
  });

  test('the 50th failure in a row fails, a success in between starts the count again', () => {
    const controller = create('fixed', settings);
    const fail = () => controller.observe(failure(controller.limits()));
    for (let i = 0; i < 49; i++) expect(fail().action).toBe('pause');
    controller.observe(success(controller.limits()));
    for (let i = 0; i < 49; i++) expect(fail().action).toBe('pause');
    expect(fail()).toEqual({
      action: 'fail',
      reason: 'Overload backoff exhausted after 50 consecutive failures, the last one: rejected execution',
    });
  });

  test('bulks refused together count as one failure and repeat its pause', () => {
    const controller = create('adaptive_batch', settings);
    const inFlight = controller.limits();
    const target = () => controller.limits().targetBytes;
    expect(controller.observe(failure(inFlight))).toEqual(pause(1000));
    const halved = target();
    for (let i = 0; i < 7; i++) expect(controller.observe(failure(inFlight))).toEqual(pause(1000));
    expect(target()).toBe(halved);
    expect(controller.observe(failure(controller.limits()))).toEqual(pause(2000));
  });

  test('successes from before the pause end the row of failures but not the pauses', () => {
    const limited = { ...settings, overload: { ...settings.overload, maxConsecutiveFailures: 2 } };
    const controller = create('fixed', limited);
    for (const pauseMs of [1000, 2000, 4000]) {
      const inFlight = controller.limits();
      expect(controller.observe(failure(inFlight))).toEqual(pause(pauseMs));
      controller.observe(success(inFlight));
    }
  });

  test('a fatal failure fails at once', () => {
    for (const type of ['fixed', 'adaptive_batch', 'adaptive'] as const) {
      const controller = create(type, settings);
      expect(controller.observe(failure(controller.limits(), 'fatal'))).toEqual({
        action: 'fail',
        reason: 'Bulk failed after 1 attempts: rejected execution',
      });
    }
  });

  test('a cluster that is away is waited for: longer and longer, without end, and with bulks as they were', () => {
    const limited = { ...settings, overload: { ...settings.overload, maxConsecutiveFailures: 2 } };
    const controller = create('adaptive_batch', limited);
    const before = controller.limits().maxDocs;
    const away = () => controller.observe(failure(controller.limits(), 'transient', { isOutage: true }));
    expect([away(), away(), away(), away(), away()]).toEqual([1000, 2000, 4000, 5000, 5000].map(pause));
    expect(controller.limits().maxDocs).toBe(before);
    expect(controller.observe(failure(controller.limits())).action).toBe('pause');
    expect(away().action).toBe('pause');
    expect(controller.observe(failure(controller.limits())).action).toBe('fail');
  });

  test('settings are read at each decision', () => {
    let current = settings;
    const controller = createController(() => ({ controllerType: 'fixed', controller: current }), noChance);
    current = backfillSettings({ 'overload.base_pause': '300', 'batch.size': '7', concurrency: '3' });
    expect(controller.limits()).toMatchObject({ maxDocs: 7, concurrency: 3 });
    expect(controller.observe(failure(controller.limits()))).toEqual(pause(300));
  });
});

describe('reads', () => {
  const settings = backfillSettings({ 'overload.base_pause': '1000', 'overload.max_pause': '5000' });
  const pause = (pauseMs: number) => ({ action: 'pause', pauseMs });
  const refusal = { kind: 'refused', reason: 'search queue full', isOutage: false } as const;
  const createWith = (maxConsecutiveFailures: number) => {
    const overload = { ...settings.overload, maxConsecutiveFailures };
    const controller = create('adaptive_batch', { ...settings, overload });
    const ticket = () => controller.limits().ticket;
    return {
      controller,
      ticket,
      refuse: () => controller.observeRead({ ...refusal, ticket: ticket() }),
      read: () => controller.observeRead({ kind: 'success', ticket: ticket() }),
      refuseBulk: () => controller.observe(failure(controller.limits())),
      write: () => controller.observe(success(controller.limits())),
    };
  };

  test('pause as bulks do, by themselves, and leave the bulks as large as they are', () => {
    const { controller, refuse, read, refuseBulk } = createWith(50);
    const before = controller.limits().maxDocs;
    expect([refuse(), refuse(), refuse(), refuse()]).toEqual([1000, 2000, 4000, 5000].map(pause));
    read();
    read();
    expect(refuse()).toEqual(pause(4000));
    expect(controller.limits().maxDocs).toBe(before);
    expect(refuseBulk()).toEqual(pause(1000));
  });

  test('refused together they count as one', () => {
    const { controller, refuse, ticket } = createWith(3);
    const together = ticket();
    for (let i = 0; i < 8; i++) {
      expect(controller.observeRead({ ...refusal, ticket: together })).toEqual(pause(1000));
    }
    expect(refuse()).toEqual(pause(2000));
    expect(refuse().action).toBe('fail');
  });

  test('and bulks: without progress of either their failures add up', () => {
    const { refuse, refuseBulk } = createWith(4);
    expect([refuse(), refuseBulk(), refuse()].map(({ action }) => action)).toEqual([
      'pause',
      'pause',
      'pause',
    ]);
    expect(refuseBulk()).toEqual({
      action: 'fail',
      reason: 'Overload backoff exhausted after 4 consecutive failures, the last one: rejected execution',
    });
  });

  test('good ones between the attempts of a bulk are no progress; a good bulk is one for both', () => {
    const stuck = createWith(3);
    for (let i = 0; i < 2; i++) {
      expect(stuck.refuseBulk().action).toBe('pause');
      stuck.read();
    }
    expect(stuck.refuseBulk().action).toBe('fail');

    const moving = createWith(3);
    for (let i = 0; i < 9; i++) {
      expect([moving.refuse(), moving.refuse()].map(({ action }) => action)).toEqual(['pause', 'pause']);
      moving.write();
    }
  });

  test('a cluster that is away is no failure', () => {
    const { controller, ticket } = createWith(1);
    const away = () => controller.observeRead({ ...refusal, isOutage: true, ticket: ticket() });
    for (let i = 0; i < 9; i++) expect(away().action).toBe('pause');
  });
});

test('under the write block pauses are short, whatever the settings', () => {
  const underBlock = (changes: Readonly<Record<string, string>>) =>
    underWriteBlock({ controllerType: 'adaptive_batch', controller: backfillSettings(changes) });
  const patient = underBlock({ 'overload.base_pause': '60000', 'overload.max_pause': '120000' });
  const controller = createController(() => patient, noChance);
  const pauses = [1, 2, 3, 4].map(() => controller.observe(failure(controller.limits())));
  expect(pauses).toEqual([250, 500, 1000, 1000].map((pauseMs) => ({ action: 'pause', pauseMs })));
  expect(underBlock({ 'overload.base_pause': '100' }).controller.overload.basePauseMs).toBe(100);
});

describe('413', () => {
  test('halves the bytes of a bulk for good, without a pause, until a single document fails', () => {
    for (const type of ['fixed', 'adaptive_batch', 'adaptive'] as const) {
      const controller = create(type, backfillSettings());
      const refuse = (documents: number, bytes: number) =>
        controller.observe(failure(controller.limits(), 'too_large', { documents, bytes }));
      expect(refuse(500, 1_000_000)).toEqual({ action: 'continue' });
      expect(controller.limits().maxBytes).toBe(500_000);
      expect(refuse(500, 2_000_000)).toEqual({ action: 'continue' });
      for (let i = 0; i < 50; i++) controller.observe(success(controller.limits()));
      expect(controller.limits().maxBytes).toBe(500_000);
      expect(refuse(1, 300_000)).toEqual({
        action: 'fail',
        reason: 'A bulk of a single document (300000 bytes) is too large for the cluster: rejected execution',
      });
    }
  });
});

describe('fixed', () => {
  test('takes batch.size, batch.max_bytes and concurrency as they are, whatever happens', () => {
    const controller = create(
      'fixed',
      backfillSettings({ 'batch.size': '123', 'batch.max_bytes': '2mb', concurrency: '4' }),
    );
    const expected = { maxDocs: 123, maxBytes: 2 * 2 ** 20, concurrency: 4 };
    expect(controller.limits()).toMatchObject(expected);
    controller.observe(failure(controller.limits()));
    for (let i = 0; i < 20; i++) controller.observe(success(controller.limits()));
    expect(controller.limits()).toMatchObject(expected);
  });
});

describe('a running shard changes over to another type', () => {
  const changing = (changes: Record<string, string> = {}) => {
    const controller = backfillSettings({ 'aimd.cooldown_ticks': '0', ...changes });
    let now: WriterSettings = { controllerType: 'adaptive_batch', controller };
    return {
      controller: createController(() => now, noChance),
      become: (controllerType: WriterSettings['controllerType'], with_ = controller) => {
        now = { controllerType, controller: with_ };
      },
    };
  };

  test('the byte target, the size of documents, pauses and what was too large stay known', () => {
    const { controller, become } = changing({ 'batch.size': '50' });
    controller.observe(failure(controller.limits(), 'too_large', { bytes: 80 * MB }));
    for (let i = 0; i < 3; i++) controller.observe(failure(controller.limits()));
    for (let i = 0; i < 20; i++) controller.observe(failure(controller.limits(), 'fatal'));
    const learnt = controller.limits();
    expect(learnt).toMatchObject({ targetBytes: 12.5 * MB, maxBytes: 40 * MB });
    become('fixed');
    expect(controller.limits()).toMatchObject({ maxDocs: 50, targetBytes: 40 * MB, maxBytes: 40 * MB });
    expect(controller.observe(failure(controller.limits()))).toEqual({ action: 'pause', pauseMs: 16_000 });
    become('adaptive');
    expect(controller.limits()).toMatchObject({
      maxDocs: learnt.maxDocs,
      targetBytes: 12.5 * MB,
      maxBytes: 25 * MB,
    });
    become('adaptive_batch');
    expect(controller.limits()).toMatchObject({ maxDocs: learnt.maxDocs, targetBytes: 12.5 * MB });
  });

  test('adaptive begins with what the settings say, knows the latencies, and takes back nothing it did not do', () => {
    const { controller, become } = changing({ concurrency: '2' });
    const before = controller.limits();
    for (let i = 0; i < 10; i++) controller.observe(success(controller.limits()));
    become('adaptive');
    expect(controller.limits().concurrency).toBe(2);
    // Bulks from before say nothing about it.
    for (let i = 0; i < 5; i++) controller.observe(success(before));
    expect(controller.limits().concurrency).toBe(2);
    for (let i = 0; i < 5; i++) controller.observe(success(controller.limits()));
    expect(controller.limits().concurrency).toBe(3);
    become('fixed');
    expect(controller.limits().concurrency).toBe(2);
    become('adaptive');
    expect(controller.limits().concurrency).toBe(2);
  });

  test('where something begins is where it begins again when that is changed', () => {
    const { controller, become } = changing();
    for (let i = 0; i < 10; i++) controller.observe(success(controller.limits()));
    become('adaptive', backfillSettings({ concurrency: '4' }));
    expect(controller.limits().concurrency).toBe(4);
    become('adaptive', backfillSettings({ concurrency: '4', 'batch.start_bytes_per_doc': '1mb' }));
    expect(controller.limits()).toMatchObject({ concurrency: 4, maxDocs: 100 });
  });

  test('limits that are moved past the byte target take it along, and let it go again', () => {
    const { controller, become } = changing();
    for (let i = 0; i < 9; i++) controller.observe(failure(controller.limits()));
    expect(controller.limits().targetBytes).toBe(MB / 2);
    become('adaptive_batch', backfillSettings({ 'batch.min_bytes': '3mb' }));
    expect(controller.limits().targetBytes).toBe(3 * MB);
    become('adaptive_batch');
    expect(controller.limits().targetBytes).toBe(MB / 2);
  });
});
