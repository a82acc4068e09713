export { createIndex } from './calls/create-index';
export { findWriteBlocks } from './calls/find-blocks';
export { getDocuments } from './calls/get-documents';
export { deleteDocument, indexDocument } from './calls/index-document';
export { listIndices } from './calls/list-indices';
export { type IndexDefinition, readDefinition } from './calls/read-definition';
export { nodesWithRole, type NodeTraits } from './calls/nodes-with-role';
export { readBucketLimit } from './calls/read-limit-setting';
export { readShardRoom, type ShardRoom } from './calls/read-shard-room';
export {
  readSnapshotLimit,
  readSnapshotRoom,
  type SnapshotRoom,
  snapshotLimitSetting,
} from './calls/read-snapshot-room';
export { readSourceFilter, type SourceFilter } from './calls/read-source-filter';
export { createClient } from './client/create-client';
export { readTemplates, simulateTemplate, type TemplateGifts, type Templates } from './calls/read-templates';
export { request, requestJson } from './client/request';
export { readClusterState } from './calls/cluster-state';
export type { OpenSearchClient, SendRequest } from './client/types';
export { createClusterPorts } from './create-cluster-ports';
export { eachOf, gatherCalls } from './gather/share';
export { aliasPath, documentPath, indexPath } from './index-path';
export { createSecurityPort, type SecurityPort } from './security-port';
export { writeDocuments } from './calls/write-documents';
