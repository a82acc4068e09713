import { resolveSettings } from '@aosc/contract';
import { createController } from './controller';
import type { BulkReport } from './bulk-report';

const defaults = resolveSettings().backfill;

function start(controllerType: 'fixed' | 'adaptive_batch' | 'adaptive') {
  const controller = createController(
    () => ({ ...defaults, controllerType }),
    () => 0,
  );
  const measured = (bytes: number) => ({
    documents: 100,
    bytes,
    elapsedMs: 100,
    tookMs: 90,
    ticket: controller.limits().ticket,
  });
  return {
    limitedBy: () => controller.limitedBy(),
    succeed: (times = 1, bytes = 1_000_000) => {
      for (let n = 0; n < times; n += 1) controller.observe({ ...measured(bytes), kind: 'success' });
    },
    fail: (kind: Exclude<BulkReport['kind'], 'success'>, bytes = 1_000_000) => {
      controller.observe({ ...measured(bytes), kind, reason: 'no', attempts: 1 });
    },
  };
}

test.each(['fixed', 'adaptive_batch'] as const)('%s begins with what the settings allow', (type) => {
  expect(start(type).limitedBy()).toBe('settings');
});

test('adaptive begins below the most bulks at once, and then puts one more on trial', () => {
  const { limitedBy, succeed } = start('adaptive');
  expect(limitedBy()).toBe('throughput');
  const seen = new Set<string>();
  for (let n = 0; n < 200; n += 1) {
    succeed();
    seen.add(limitedBy());
  }
  expect(seen).toContain('trial');
});

test.each(['fixed', 'adaptive_batch', 'adaptive'] as const)('%s names a refusal', (type) => {
  const { limitedBy, fail } = start(type);
  fail('overload');
  expect(limitedBy()).toBe('overload');
});

test('a fixed one is back at its settings with the next success', () => {
  const { limitedBy, fail, succeed } = start('fixed');
  fail('overload');
  succeed();
  expect(limitedBy()).toBe('settings');
});

test('a request that was too large for the cluster stays the limit', () => {
  const { limitedBy, fail, succeed } = start('adaptive_batch');
  fail('too_large', 2_000_000);
  succeed(50);
  expect(limitedBy()).toBe('request_size');
});
