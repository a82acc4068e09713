import { Counter, Gauge, type Registry } from 'prom-client';

/** Makes figures of one registry, each with its help text. Labels that are not named in a new set of values are gone. */
export function createFigures(registry: Registry) {
  const registers = [registry];
  return {
    registers,
    gauge: (name: string, help: string) => new Gauge({ name, help, registers }),
    counter: (name: string, help: string) => new Counter({ name, help, registers }),
    /** @returns takes the values of all labels */
    gaugeBy: (label: string, name: string, help: string) => {
      const gauge = new Gauge({ name, help, labelNames: [label], registers });
      return (values: Iterable<readonly [string, number]>): void => {
        gauge.reset();
        for (const [each, value] of values) gauge.set({ [label]: each }, value);
      };
    },
    /** @param known labels that begin at 0: Prometheus only sees an increase from a value that was there before */
    counterBy: <L extends string>(label: string, name: string, help: string, known: readonly L[]) => {
      const counter = new Counter({ name, help, labelNames: [label], registers });
      for (const each of known) counter.inc({ [label]: each }, 0);
      return (each: L, by = 1): void => counter.inc({ [label]: each }, by);
    },
  };
}
export type Figures = ReturnType<typeof createFigures>;
