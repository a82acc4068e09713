import { docsWithin, targetWithin } from './batch-target';
import { type ControllerState, readLimits, type WriterSettings } from './controller-transitions';

/**
 * What keeps the bulks of a shard from being larger or more. `request_size`: the cluster found a larger request too
 * large. `overload`: it refused a moment ago, or its latency rose. `trial`: the controller is trying another size or
 * number. `settings`: they allow no more. `throughput`: the controller tried more and it was not faster, or the next
 * try is not due yet.
 */
export type BulkLimit = 'request_size' | 'overload' | 'trial' | 'settings' | 'throughput';

/** The caller asks between two decisions of the controller. */
export function findBulkLimit(state: ControllerState, settings: WriterSettings): BulkLimit {
  const { controllerType, controller } = settings;
  const { batch, probe } = state.learnt;
  if (state.ceilingBytes <= readLimits(state, settings).targetBytes) return 'request_size';
  if (state.backoff.level > 0) return 'overload';
  if (controllerType === 'fixed') return 'settings';
  if (batch.cooldown > 0) return 'overload';
  const adaptsNumber = controllerType === 'adaptive';
  if (batch.trial !== undefined || (adaptsNumber && probe.rateBefore !== undefined)) return 'trial';
  const isLargest =
    targetWithin(batch, controller) >= controller.batch.maxBytes ||
    docsWithin(batch, controller) >= controller.batch.maxDocs;
  const areMost = !adaptsNumber || probe.concurrency >= controller.concurrency.max;
  return isLargest && areMost ? 'settings' : 'throughput';
}
