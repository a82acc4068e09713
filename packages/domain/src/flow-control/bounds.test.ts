import fc from 'fast-check';
import { createController } from '..';
import { failure, success } from './__tests__/reports';
import { backfillSettings } from './__tests__/settings';

const MB = 2 ** 20;

test('whatever is reported, and whatever becomes of the settings and the type, the limits are theirs', () => {
  const settingsOf = fc
    .record({
      maxDocs: fc.integer({ min: 1, max: 50_000 }),
      min: fc.integer({ min: 1, max: 100 }),
      max: fc.integer({ min: 1, max: 512 }),
      type: fc.constantFrom('fixed' as const, 'adaptive_batch' as const, 'adaptive' as const),
      concurrency: fc.integer({ min: 1, max: 32 }),
    })
    .map(({ type, maxDocs, min, max, concurrency }) => ({
      controllerType: type,
      controller: backfillSettings({
        'batch.max_docs': String(maxDocs),
        'batch.size': String(maxDocs),
        'batch.min_bytes': `${Math.min(min, max)}mb`,
        'batch.max_bytes': `${max}mb`,
        concurrency: String(concurrency),
        'concurrency.max': '32',
      }),
    }));
  const event = fc.record({
    kind: fc.constantFrom(
      'success' as const,
      'overload' as const,
      'transient' as const,
      'too_large' as const,
    ),
    documents: fc.integer({ min: 2, max: 50_000 }),
    bytes: fc.integer({ min: 0, max: 512 * MB }),
    elapsedMs: fc.nat(60_000),
    tookMs: fc.option(fc.nat(60_000), { nil: undefined }),
    age: fc.nat(20),
  });
  fc.assert(
    fc.property(
      settingsOf,
      fc.array(fc.tuple(event, settingsOf), { minLength: 1, maxLength: 80 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (first, events, random) => {
        let settings = first;
        const controller = createController(
          () => settings,
          () => random,
        );
        for (const [{ kind, age, ...measured }, next] of events) {
          const ticket = Math.max(0, controller.limits().ticket - age);
          const report =
            kind === 'success' ? success({ ticket }, measured) : failure({ ticket }, kind, measured);
          const decision = controller.observe(report);
          if (decision.action === 'pause') expect(decision.pauseMs).toBeLessThanOrEqual(150_000);
          settings = next;
          const { batch, concurrency } = settings.controller;
          const limits = controller.limits();
          expect(limits.maxDocs).toBeGreaterThanOrEqual(1);
          expect(limits.maxDocs).toBeLessThanOrEqual(batch.maxDocs);
          expect(limits.maxBytes).toBeGreaterThanOrEqual(1);
          expect(limits.maxBytes).toBeLessThanOrEqual(batch.maxBytes);
          // Below the lower limit only for a cluster that finds more too large.
          expect(limits.targetBytes).toBeGreaterThanOrEqual(Math.min(batch.minBytes, limits.maxBytes));
          expect(limits.targetBytes).toBeLessThanOrEqual(batch.maxBytes);
          expect(limits.concurrency).toBeGreaterThanOrEqual(1);
          expect(limits.concurrency).toBeLessThanOrEqual(
            settings.controllerType === 'adaptive' ? concurrency.max : concurrency.initial,
          );
        }
      },
    ),
  );
});
