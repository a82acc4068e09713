import type { FaultProxy } from './fault';
import type { FaultRules } from './fault-rules';
import type { Gateway } from './gateway';

/** What a test does to a proxy, whatever its protocol: rules for calls, and its connections. */
export function controlsOf<C, R, A>(
  rules: FaultRules<C, R, A>,
  gateway: Gateway,
): Omit<FaultProxy<C, R, A>, 'url' | 'stop'> {
  return {
    addRule: (rule) => rules.add(rule),
    watch: (listener) => rules.watch(listener),
    cutConnections: () => gateway.cutConnections(),
    refuseConnections: () => gateway.refuseConnections(),
    acceptConnections: () => gateway.acceptConnections(),
  };
}
