import { countCities } from '@aosc/testkit';
import { countries, orders } from '../dataset';
import type { CopyTask, Transform } from '../transform';
import { cities, largeOrders } from './datasets';
import type { CaseName, SuiteOptions } from './options';

export type CopyCaseName = Exclude<CaseName, 'sustained' | 'applications'>;

/** A copy of documents by several contestants. */
export interface CopyCase extends CopyTask {
  /** passes over all documents before the copy, each of which updates every one of them */
  readonly updates: number;
  /** documents of a scroll page, one `_reindex` for each */
  readonly pageSizes: readonly [number, ...number[]];
  readonly withElasticdump: boolean;
}

interface Plan extends Omit<CopyCase, 'documents'> {
  readonly fullDocuments: () => number;
  readonly shortDocuments: number;
}

const transform: Transform = {
  source:
    'ctx._source.country = ctx._source.country.toUpperCase(); ctx._source.total = ctx._source.total * params.tax',
  params: { tax: 1.19 },
  untouched: { terms: { country: countries } },
};

const ofOrders = {
  dataset: orders,
  sourceShards: 4,
  targetShards: 8,
  updates: 0,
  pageSizes: [1000, 5000],
  withElasticdump: false,
  fullDocuments: () => 2_000_000,
  shortDocuments: 50_000,
} as const;

const plans: Readonly<Record<CopyCaseName, Plan>> = {
  orders: { ...ofOrders, shortDocuments: 100_000 },
  cities: {
    ...ofOrders,
    dataset: cities,
    sourceShards: 2,
    targetShards: 3,
    fullDocuments: countCities,
  },
  large: {
    ...ofOrders,
    dataset: largeOrders,
    sourceShards: 2,
    targetShards: 4,
    // A page is sent as one bulk by each of two slices: with 1,000 documents they would fill the 10 % of a heap of 2 GB
    // that writes may take, and refusals would be measured.
    pageSizes: [100, 500],
    fullDocuments: () => 20_000,
    shortDocuments: 500,
  },
  transform: { ...ofOrders, transform },
  updated: { ...ofOrders, updates: 5 },
  files: { ...ofOrders, byFiles: true },
  // It takes several times as long as the others, and no other figures come from more documents.
  elasticdump: {
    ...ofOrders,
    withElasticdump: true,
    fullDocuments: () => 500_000,
    shortDocuments: 20_000,
  },
};

/** A case with the number of documents that the options ask for. */
export function planCopy(name: CopyCaseName, { short, documents }: SuiteOptions): CopyCase {
  const { fullDocuments, shortDocuments, ...plan } = plans[name];
  return { ...plan, documents: documents ?? (short ? shortDocuments : fullDocuments()) };
}

export function isCopyCase(name: CaseName): name is CopyCaseName {
  return Object.hasOwn(plans, name);
}
