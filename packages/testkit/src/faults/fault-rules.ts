import type { Passed, Fault, FaultRule } from './fault';

/** The rules and listeners of one proxy. */
export interface FaultRules<Call, Reply, Canned> {
  add(rule: FaultRule<Call, Reply, Canned>): () => void;
  watch(listener: (passed: Passed<Call, Reply>) => void): () => void;
  find(call: Call): Fault<Reply, Canned>;
  notify(passed: Passed<Call, Reply>): void;
}

export function createFaultRules<Call, Reply, Canned>(): FaultRules<Call, Reply, Canned> {
  const rules = new Set<FaultRule<Call, Reply, Canned>>();
  const listeners = new Set<(passed: Passed<Call, Reply>) => void>();
  return {
    add: (rule) => {
      rules.add(rule);
      return () => void rules.delete(rule);
    },
    watch: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    find: (call) => {
      for (const rule of rules) {
        const fault = rule(call);
        if (fault !== undefined) return fault;
      }
      return {};
    },
    notify: (passed) => {
      for (const listener of listeners) listener(passed);
    },
  };
}
