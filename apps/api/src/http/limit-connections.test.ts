import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import type { DropReason } from '../limits/connection-table';
import { createApiListener } from './create-server';

const places = 3;

test('connections that the client has reset before they are taken hold no place for good', async () => {
  const drops: DropReason[] = [];
  const { server } = createApiListener((_request, response) => response.end('here'), {
    tls: undefined,
    idleMs: 60_000,
    connections: { max: places, maxOfClient: places, perSecond: 0, onDrop: (reason) => drops.push(reason) },
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    // The system hands such a connection over without an address: so does Node, as for a socket that was never connected.
    const gone = Array.from({ length: places + 1 }, () => new Socket());
    for (const socket of gone) server.emit('connection', socket);
    for (const socket of gone) socket.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    const { port } = server.address() as AddressInfo;
    const other = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    await once(server, 'connection');
    const asked = get({ host: '127.0.0.1', port, agent: false });
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(200);
    expect(drops).toEqual(gone.map(() => 'no_request'));
    other.destroy();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
