export { documentIds, migrationKey } from './keys';
export type { MigrationListing } from './queries';
export { migrationFromStored } from './migration-form';
export { gatherRequests } from './gather-requests';
export { repeatReads } from './repeat-reads';
export { createOpenSearchDocuments } from './opensearch-documents';
export { createRefusedStore, refusedIndex } from './refused-documents';
export { createStore, type MigrationStore, type ShardName } from './store';
export { systemIndex } from './system-index';
