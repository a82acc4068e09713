import { Type } from '@sinclair/typebox';
import { eventSchemas } from '../events';
import { errorsOfCluster, errorsOfEveryRequest, type Operation } from './operation';

/** Beside the contract. */
export const streamEvents: Operation = {
  method: 'get',
  path: '/_plugins/_aosc/_events',
  operationId: 'aosc_stream_events',
  role: 'read',
  tag: 'migrations',
  summary: 'Follow all migrations as they change',
  description:
    'Server-sent events. `x-events` has the schema of the JSON in `data`, by the name of the event. The stream shows the newest 500 migrations and all that run. It ends after some minutes: connect again with Last-Event-ID.',
  parameters: [
    {
      name: 'Last-Event-ID',
      in: 'header',
      description:
        'The id of the last `ready` that was seen: what has changed since follows, or `reset` and everything.',
      schema: Type.String(),
    },
  ],
  commonParameters: true,
  answers: {
    200: {
      description: 'The events.',
      schema: Type.String({ 'x-events': eventSchemas }),
      text: 'event-stream',
    },
  },
  errors: [...errorsOfEveryRequest, ...errorsOfCluster],
};
