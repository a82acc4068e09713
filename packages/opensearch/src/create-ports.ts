import type { AdminPort, SourcePort, TargetPort } from '@aosc/engine';
import { histogram, measureSnapshot } from './calls/aggregate-snapshot';
import { indicesOfAlias, listAliases, updateAliases } from './calls/aliases';
import { blockWrites } from './calls/block-writes';
import { bulk } from './calls/bulk';
import { closeSnapshots } from './calls/close-snapshots';
import { clusterUuid } from './calls/cluster-uuid';
import { readClusterView } from './calls/cluster-view';
import { count } from './calls/count';
import { countCopies } from './calls/count-copies';
import { dataNodes } from './calls/data-nodes';
import { describeIndex } from './calls/describe-index';
import { extendSnapshot } from './calls/extend-snapshot';
import { flush } from './calls/flush';
import { getDocuments } from './calls/get-documents';
import { countLaggingReplicas } from './calls/lagging-replicas';
import { openSnapshot } from './calls/open-snapshot';
import { deletePipeline, putPipeline } from './calls/pipelines';
import { putSettings } from './calls/put-settings';
import { readCheckpoints } from './calls/read-checkpoints';
import { readAllHeads, readDocuments, readHeads } from './calls/read-page';
import { readRouting } from './calls/read-routing';
import { readStoredScript } from './calls/read-stored-script';
import { readWriteBlock } from './calls/read-write-block';
import { refresh } from './calls/refresh';
import { refreshCopy } from './calls/refresh-copy';
import { retryFailedAllocations } from './calls/retry-failed-allocations';
import { sampleDocuments } from './calls/sample-documents';
import { transformDocuments } from './calls/transform-documents';
import { waitForGreen } from './calls/wait-for-green';
import { listIndexWriteTasks, listWriteTasks } from './calls/write-tasks';
import { newestStateOf } from './client/newest-state';
import type { OpenSearchClient } from './client/types';

export function createSourcePort(client: OpenSearchClient): SourcePort {
  return {
    readCheckpoints: (index, call) => readCheckpoints(client, index, call),
    readRouting: (index, call) => readRouting(client, index, call),
    refresh: (index, call) => refresh(client, index, call),
    flush: (index, call) => flush(client, index, call),
    refreshCopy: (copy, shape, call) => refreshCopy(client, copy, shape, call),
    openSnapshot: (copy, keepAliveMs, call) => openSnapshot(client, copy, keepAliveMs, call),
    measureSnapshot: (pitId, keepAliveMs, call) => measureSnapshot(client, pitId, keepAliveMs, call),
    extendSnapshot: (pitId, keepAliveMs, call) => extendSnapshot(client, pitId, keepAliveMs, call),
    closeSnapshots: (pitIds, call) => closeSnapshots(client, pitIds, call),
    getDocuments: (index, keys, call, nodeId) =>
      getDocuments(client, index, keys, { source: false, nodeId }, call),
    readDocuments: (request, call) => readDocuments(client, request, call),
    readHeads: (request, call) => readHeads(client, request, call),
    histogram: (request, call) => histogram(client, request, call),
  };
}

export function createTargetPort(client: OpenSearchClient): TargetPort {
  return {
    bulk: (fence, items, call) => bulk(client, fence, items, call),
    getDocuments: (index, keys, call, nodeId) =>
      getDocuments(client, index, keys, { source: false, nodeId }, call),
    listWriteTasks: (matches, call) => listWriteTasks(client, matches, call),
    openSnapshot: (copy, keepAliveMs, call) => openSnapshot(client, copy, keepAliveMs, call),
    closeSnapshots: (pitIds, call) => closeSnapshots(client, pitIds, call),
    readAllHeads: (request, call) => readAllHeads(client, request, call),
  };
}

export function createAdminPort(client: OpenSearchClient): AdminPort {
  return {
    clusterUuid: (call) => clusterUuid(client, call),
    newestState: () => newestStateOf(client).read(),
    rememberState: (seen) => newestStateOf(client).remember(seen),
    describeIndex: (index, call) => describeIndex(client, index, call),
    indicesOfAlias: (alias, call) => indicesOfAlias(client, alias, call),
    listAliases: (index, pattern, call) => listAliases(client, index, pattern, call),
    updateAliases: (actions, call) => updateAliases(client, actions, call),
    putSettings: (index, settings, call) => putSettings(client, index, settings, call),
    blockWrites: (index, call) => blockWrites(client, index, call),
    readWriteBlock: (index, call) => readWriteBlock(client, index, call),
    count: (index, query, call) => count(client, index, query, call),
    countCopies: (index, copies, query, call) => countCopies(client, index, copies, query, call),
    waitForGreen: (index, timeoutMs, call) => waitForGreen(client, index, timeoutMs, call),
    countLaggingReplicas: (index, call) => countLaggingReplicas(client, index, call),
    refresh: (index, call) => refresh(client, index, call),
    flush: (index, call) => flush(client, index, call),
    listIndexWriteTasks: (index, call, moved) => listIndexWriteTasks(client, index, call, moved),
    readClusterView: (index, call) => readClusterView(client, index, call),
    retryFailedAllocations: (call) => retryFailedAllocations(client, call),
    dataNodes: (call) => dataNodes(client, call),
    readStoredScript: (id, call) => readStoredScript(client, id, call),
    sampleDocuments: (index, size, call) => sampleDocuments(client, index, size, call),
    transformDocuments: (request, call) => transformDocuments(client, request, call),
    putPipeline: (name, pipeline, call) => putPipeline(client, name, pipeline, call),
    deletePipeline: (name, call) => deletePipeline(client, name, call),
  };
}
