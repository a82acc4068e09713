import { createParser } from '@aosc/contract';
import { Type } from '@sinclair/typebox';

const parseQueues = createParser(
  "answer of the board's list of queues",
  Type.Object({
    queues: Type.Array(
      Type.Object({
        name: Type.String(),
        globalConcurrency: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
      }),
    ),
  }),
);

type BoardQueue = ReturnType<typeof parseQueues>['queues'][number];

/** Every queue as Bull Board lists it for its page. */
export async function listBoardQueues(apiUrl: string): Promise<readonly BoardQueue[]> {
  // eslint-disable-next-line no-restricted-globals -- the board's answers are not in the API's document
  const response = await fetch(`${apiUrl}/queues/api/queues?status=latest`);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`the board's list: ${response.status} ${text}`);
  return parseQueues(JSON.parse(text)).queues;
}
