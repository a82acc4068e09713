import { createServer, type Server, type Socket } from 'node:net';

/** A listening port whose connections can be cut and refused. */
export interface Gateway {
  readonly port: number;
  cutConnections(): void;
  refuseConnections(): Promise<void>;
  acceptConnections(): Promise<void>;
  stop(): Promise<void>;
}

/** Listens on a free port of the loopback interface. @param onConnection gets each new connection */
export async function openGateway(onConnection: (socket: Socket) => void): Promise<Gateway> {
  const open = new Set<Socket>();
  const accept = (socket: Socket): void => {
    socket.setNoDelay(true);
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => open.delete(socket));
    onConnection(socket);
  };
  let server: Server | undefined = await listen(0, accept);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a proxy has no port');
  const { port } = address;

  const cutConnections = (): void => {
    for (const socket of open) socket.destroy();
  };
  const refuseConnections = async (): Promise<void> => {
    const closing = server;
    server = undefined;
    if (closing === undefined) return;
    const closed = new Promise<void>((resolve) => closing.close(() => resolve()));
    cutConnections();
    await closed;
  };
  return {
    port,
    cutConnections,
    refuseConnections,
    acceptConnections: async () => {
      server ??= await listen(port, accept);
    },
    stop: refuseConnections,
  };
}

function listen(port: number, onConnection: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(onConnection);
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
