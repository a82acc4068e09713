/** Names of the demo's own indices and alias. */
export const source = 'cities-v1';
export const target = 'cities-v2';
export const alias = 'cities';

/** Where every installation of the service keeps its records: two can't work on one cluster. */
export const records = '.aosc-migrations';
