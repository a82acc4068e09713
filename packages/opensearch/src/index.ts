export { createIndex } from './calls/create-index';
export { getDocument, getDocuments, type GetOptions } from './calls/get-documents';
export {
  deleteDocument,
  type DocumentWrite,
  indexDocument,
  type Position,
  type Refresh,
} from './calls/index-document';
export { type FoundDocument, searchDocuments } from './calls/search-documents';
export { readSnapshotRoom, type SnapshotRoom, snapshotLimitSetting } from './calls/read-snapshot-room';
export { readSourceFilter, type SourceFilter } from './calls/read-source-filter';
export { refresh } from './calls/refresh';
export type { AwsSigning } from './client/aws-signing';
export { createClient } from './client/create-client';
export { request, requestJson } from './client/request';
export type { ClientOptions, OpenSearchClient, RawAnswer, SendRequest } from './client/types';
export { type FetchedDocument } from './codec/get-answer';
export { toOneLine } from './codec/one-line';
export { createAdminPort, createSourcePort, createTargetPort } from './create-ports';
export { aliasPath, documentPath, indexPath } from './index-path';
export { createSecurityPort, type SecurityPort } from './security-port';
