import type { Random } from '@aosc/testkit';

/** Names that a start may come upon. */
export interface Names {
  /** the caller's own, all there */
  readonly own: readonly [string, ...string[]];
  /** what the caller may not touch, and other places where something could be */
  readonly foreign: readonly [string, ...string[]];
  /** fields of the caller's own index */
  readonly fields: readonly [string, ...string[]];
}

/** Grows values of all kinds. Everything follows from the random numbers. */
export interface Grower {
  readonly random: Random;
  readonly names: Names;
  readonly chance: (part: number) => boolean;
  readonly text: () => string;
  readonly value: () => unknown;
  readonly field: () => string;
  /** an index, an alias, a pattern, or what is none */
  readonly name: () => string;
  readonly list: (of: () => unknown, max?: number) => unknown[];
  readonly query: () => unknown;
  readonly script: () => unknown;
  readonly lookup: () => unknown;
  readonly point: () => unknown;
  readonly shape: () => unknown;
  readonly json: () => unknown;
}
