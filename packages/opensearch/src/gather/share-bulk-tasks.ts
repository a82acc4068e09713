import type { Call, TaskPort, WriteTasks } from '@aosc/engine';
import type { Attribution } from '@aosc/signals';
import { listWriteTasks } from '../calls/write-tasks';
import type { OpenSearchClient } from '../client/request';
import { eachOf, gatherCalls } from './share';

/** One list of all bulks answers every caller. */
const limits = { maxUnderWay: 1, longestWaitMs: 50, maxTogether: 256 } as const;

interface Question {
  readonly matches: (opaqueId: string) => boolean;
  readonly call: Call;
}

/**
 * Lets the shards of a process share the list of running bulks. Under the write block each shard waits for its own
 * bulks to end, and one answer of the nodes lists all bulks. A caller never gets a list that started before it asked.
 */
export function shareBulkTasks(client: OpenSearchClient, attribution: Attribution): TaskPort['listBulks'] {
  const share = gatherCalls<Question, WriteTasks>({ ...limits, attribution }, (questions, signal) => {
    const call = questions.length === 1 ? questions[0].call : { signal };
    const matches = questions.map((question) => question.matches);
    return eachOf(questions.length, listWriteTasks(client, matches, call));
  });
  return (matches, call) => share({ matches, call }, call);
}
