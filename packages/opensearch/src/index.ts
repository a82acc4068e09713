export { bindCalls, type Bound } from './bind-calls';
export { listIndices } from './calls/aliases';
export { createIndex } from './calls/change-index';
export { findWriteBlocks } from './calls/find-blocks';
export { getDocuments } from './calls/get-documents';
export { type Allocation, type NodeRoom, readAllocation } from './calls/read-allocation';
export { type IndexDefinition, readDefinition, readSourceFilter } from './calls/read-definition';
export { listCreated } from './calls/list-created';
export { type Sample, sampleDocuments } from './calls/sample-documents';
export { hasPipeline, readLifecyclePolicy } from './calls/read-lifecycle';
export { nodesWithRole, type NodeTraits } from './calls/nodes-with-role';
export {
  readBucketLimit,
  readShardRoom,
  readSnapshotLimit,
  readSnapshotRoom,
  type ShardRoom,
  type SnapshotRoom,
  snapshotLimitSetting,
} from './calls/read-room';
export { classifyInnerError } from './client/classify';
export { createClient } from './client/create-client';
export { readTemplates, simulateTemplate, type TemplateGifts, type Templates } from './calls/read-templates';
export { request, requestJson, type OpenSearchClient, type SendRequest } from './client/request';
export { readClusterState } from './calls/cluster-state';
export { createClusterPorts } from './create-cluster-ports';
export { eachOf, gatherCalls, share } from './gather/share';
export { aliasPath, documentPath, indexPath } from './index-path';
export { createSecurityPort, type SecurityPort } from './security-port';
export { deleteDocument, indexDocument, writeDocuments } from './calls/write-documents';
