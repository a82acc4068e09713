import type { Call, ClusterPort, ClusterPorts, IndexPorts, IndexStatePort, SnapshotPort } from '@aosc/engine';
import { type Attribution, toNobody } from '@aosc/signals';
import { bindCalls } from './bind-calls';
import { extendSnapshot, histogram, measureSnapshot } from './calls/aggregate-snapshot';
import { updateAliases } from './calls/aliases';
import { bulk } from './calls/bulk';
import {
  blockWrites,
  deletePipeline,
  putPipeline,
  putSettings,
  removeIndex,
  resizeIndex,
} from './calls/change-index';
import { clusterUuid } from './calls/cluster-uuid';
import { count, countCopies } from './calls/count';
import { describeIndex } from './calls/describe-index';
import { expungeDeletes, readMerging } from './calls/expunge-deletes';
import { explainUnassigned } from './calls/explain-unassigned';
import { findLaggingCopies } from './calls/find-lagging-copies';
import {
  indicesOfAlias,
  isIndexName,
  listAliases,
  readClusterView,
  readWriteBlock,
  requireSameIndex,
} from './calls/index-state';
import { nodesWithRole } from './calls/nodes-with-role';
import { openSnapshot } from './calls/open-snapshot';
import { readMapping } from './calls/read-definition';
import { readDocuments, readHeads, readKeys, readWhole } from './calls/read-page';
import { readPinnedBytes } from './calls/read-pinned-bytes';
import { readRouting } from './calls/read-routing';
import { readStoredScript } from './calls/read-stored-script';
import { flush, refresh } from './calls/refresh-and-flush';
import { retryFailedAllocations } from './calls/retry-failed-allocations';
import { sampleDocuments } from './calls/sample-documents';
import { readCheckpoints } from './calls/shard-stats';
import { transformDocuments } from './calls/transform-documents';
import { waitForGreen } from './calls/wait-for-green';
import { listIndexWriteTasks } from './calls/write-tasks';
import { newestStateOf } from './client/newest-state';
import type { OpenSearchClient } from './client/request';
import { shareBulkTasks } from './gather/share-bulk-tasks';
import { shareCloses } from './gather/share-closes';
import { shareGets } from './gather/share-gets';
import { shareRefreshes } from './gather/share-refreshes';
import { shareSearches, shareSmallSearches } from './gather/share-searches';

/** Requests that the shards of a process share. */
function shareCalls(client: OpenSearchClient, attribution: Attribution) {
  return {
    /** for searches that cost the node nothing */
    askQuick: shareSearches(client, attribution),
    askFor: shareSmallSearches(client, attribution),
    close: shareCloses(client, attribution),
    refreshCopy: shareRefreshes(client, attribution),
    listBulks: shareBulkTasks(client, attribution),
    getHeads: shareGets(client, attribution),
  };
}
type SharedCalls = ReturnType<typeof shareCalls>;

/**
 * The cluster that the client is connected to, with the ports of its indices. Sends nothing by itself.
 * @param attribution left out: requests are not attributed to callers
 */
export function createClusterPorts(
  client: OpenSearchClient,
  attribution: Attribution = toNobody,
): ClusterPorts {
  const shared = shareCalls(client, attribution);
  const cluster: ClusterPort = {
    ...bindCalls({ uuid: clusterUuid, readView: readClusterView, retryFailedAllocations }, client),
    newestState: () => newestStateOf(client).read(),
    rememberState: (seen) => newestStateOf(client).remember(seen),
    dataNodes: (call) => idsOf(nodesWithRole(client, 'data', call)),
    ingestNodes: (call) => idsOf(nodesWithRole(client, 'ingest', call)),
    aliases: bindCalls({ indicesOf: indicesOfAlias, isIndex: isIndexName, update: updateAliases }, client),
    transforms: bindCalls({ readStoredScript, transformDocuments, putPipeline, deletePipeline }, client),
  };
  return { ...cluster, index: (name, uuid) => createIndexPorts(client, shared, cluster, { name, uuid }) };
}

async function idsOf(nodes: Promise<readonly { readonly id: string }[]>): Promise<readonly string[]> {
  return (await nodes).map(({ id }) => id);
}

function createIndexPorts(
  client: OpenSearchClient,
  shared: SharedCalls,
  cluster: ClusterPort,
  { name: index, uuid }: { readonly name: string; readonly uuid: string | undefined },
): IndexPorts {
  const requireSame = async (call: Call): Promise<void> => {
    if (uuid !== undefined) await requireSameIndex(client, index, uuid, call);
  };
  return {
    index,
    cluster,
    state: createIndexStatePort(client, shared, index),
    snapshots: createSnapshotPort(client, shared, index),
    aliases: bindCalls({ list: listAliases }, client, index),
    settings: {
      // An alias that goes with the index says itself which one is meant.
      async put(settings, call, through) {
        if (through === undefined) await requireSame(call);
        await putSettings(client, index, settings, call, through);
      },
      async blockWrites(call, through) {
        if (through === undefined) await requireSame(call);
        return blockWrites(client, index, call, through);
      },
      readWriteBlock: (call) => readWriteBlock(client, index, call),
    },
    files: bindCalls(
      { resize: resizeIndex, remove: removeIndex, expungeDeletes, readMerging },
      client,
      index,
    ),
    writes: bindCalls({ bulk }, client),
    tasks: {
      listBulks: shared.listBulks,
      listWrites: (call, asked) => listIndexWriteTasks(client, index, call, asked),
    },
  };
}

function createIndexStatePort(
  client: OpenSearchClient,
  { getHeads }: SharedCalls,
  index: string,
): IndexStatePort {
  const calls = {
    describe: describeIndex,
    readMapping,
    readRouting,
    readCheckpoints,
    count,
    countCopies,
    waitForGreen,
    explainUnassigned,
    findLaggingCopies,
    refresh,
    flush,
  };
  return {
    ...bindCalls(calls, client, index),
    getDocuments: (keys, call, nodeId) => getHeads(index, keys, call, nodeId),
    sampleDocuments: async (size, call) => (await sampleDocuments(client, index, { size }, call)).documents,
  };
}

function createSnapshotPort(
  client: OpenSearchClient,
  { askQuick, askFor, close, refreshCopy }: SharedCalls,
  index: string,
): SnapshotPort {
  return {
    refreshCopy: (copy, shape, call) => refreshCopy(index, copy, shape, call),
    measure: (pitId, keepAliveMs, call) => measureSnapshot(askQuick, pitId, keepAliveMs, call),
    extend: (pitId, keepAliveMs, call) => extendSnapshot(askQuick, pitId, keepAliveMs, call),
    close,
    readHeads: (request, call) => readHeads(askFor(request.selection), request, call),
    histogram: (request, call) => histogram(askFor(request.selection), request, call),
    ...bindCalls({ open: openSnapshot, pinnedBytes: readPinnedBytes }, client, index),
    // These read large pages, so they share no request.
    ...bindCalls({ readDocuments, readKeys, readWhole }, client),
  };
}
