import type { Call, TaskPort, WriteTasks } from '@aosc/engine';
import { listWriteTasks } from '../calls/write-tasks';
import type { OpenSearchClient } from '../client/types';
import { type Attribution, eachOf, gather } from './gather';

/** One list of all bulks answers everybody. */
const limits = { maxUnderWay: 1, longestWaitMs: 50, maxTogether: 256 } as const;

interface Question {
  readonly matches: (opaqueId: string) => boolean;
  readonly call: Call;
}

/**
 * Lets the shards of a process ask together which bulks run: under the write block each of them waits for its own to end,
 * and the nodes tell all bulks in one answer. A caller never gets a list that was begun before it asked.
 */
export function shareBulkTasks(client: OpenSearchClient, attribution: Attribution): TaskPort['listBulks'] {
  const share = gather<Question, WriteTasks>(attribution, limits, (questions, signal) => {
    const [first] = questions;
    const call = questions.length === 1 && first !== undefined ? first.call : { signal };
    const matches = questions.map((question) => question.matches);
    return eachOf(questions.length, listWriteTasks(client, matches, call));
  });
  return (matches, call) => share({ matches, call }, call);
}
