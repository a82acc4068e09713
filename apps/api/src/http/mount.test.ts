import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { handleEvents } from '../routes/events';
import { type Handlers, mount } from './mount';

/** Has the handlers get a request whose client has left by then. @returns when they have answered */
async function askAndLeave(path: string, method: string, handlers: Handlers): Promise<void> {
  const app = express();
  const handled = new Promise<void>((resolve) => {
    app.use((_request, response, next) => {
      response.once('close', () => {
        next();
        setImmediate(resolve);
      });
      asked.destroy();
    });
  });
  mount(app, handlers);
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const asked = request({ host: '127.0.0.1', port, path, method });
  asked.on('error', () => undefined).end();
  await handled;
  server.close();
  await once(server, 'close');
}

test('a client that has left before its handler begins counts as gone', async () => {
  let gone: AbortSignal | undefined;
  await askAndLeave('/_plugins/_aosc/books/_cancel', 'POST', {
    aosc_cancel_migration: (asked) => {
      gone = asked.gone();
      return {};
    },
  });
  expect(gone?.aborted).toBe(true);
});

test('a client that has left before its handler begins takes no place in the event stream', async () => {
  const subscribe = jest.fn(() => () => undefined);
  const events = { subscribe, recheck: () => undefined, close: () => undefined };
  await askAndLeave('/_plugins/_aosc/_events', 'GET', handleEvents({ events, findCredential: undefined }));
  expect(subscribe).not.toHaveBeenCalled();
});
