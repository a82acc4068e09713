import { administration } from './administration';
import { beginnings, orders } from './migrations';
import type { Operation } from './operation';
import { readsOfAll, readsOfOne } from './reads';
import { service } from './service';

/** Every endpoint of the API. A test holds it equal to the app's routes. */
export const operations: readonly Operation[] = [
  ...beginnings,
  ...readsOfOne,
  ...orders,
  ...readsOfAll,
  ...administration,
  ...service,
];
