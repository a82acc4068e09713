import { ClientRequest, type IncomingMessage } from 'node:http';
import { ClusterError } from '@aosc/engine';
import { takeLargeBuffer } from './large-buffers';

/**
 * Reads an answer into one buffer. With `asStream` the client passes the bare response, so this has to detect a
 * connection cut in the middle, a body shorter than announced and a body over the bound. The caller bounds the time by
 * destroying the response.
 * @param what method and path, for messages
 * @throws ClusterError 'transient' or 'too_large'
 */
export async function readBody(response: IncomingMessage, maxBytes: number, what: string): Promise<Buffer> {
  const request: unknown = Reflect.get(response, 'req');
  if (request instanceof ClientRequest) silenceLateErrors(request);
  const announced = announcedLength(response);
  if (announced !== undefined && announced > maxBytes) {
    response.destroy();
    throw new ClusterError(
      'too_large',
      `${what}: the answer has ${announced} bytes, over the bound of ${maxBytes}`,
      { bytes: announced },
    );
  }
  const encoding = response.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    response.destroy();
    throw new ClusterError(
      'invalid',
      `${what}: the answer is compressed (${encoding}) although the request did not ask for it`,
    );
  }
  return new Promise((resolve, reject) => {
    // With a known length there is no need to collect the chunks and copy them a second time.
    const whole = announced === undefined ? undefined : takeLargeBuffer(announced);
    const chunks: Buffer[] = [];
    let received = 0;
    response.on('data', (chunk: Buffer) => {
      if (received + chunk.length > (announced ?? maxBytes)) {
        reject(
          new ClusterError(
            'too_large',
            `${what}: the answer goes over the bound of ${announced ?? maxBytes} bytes`,
          ),
        );
        response.destroy();
        return;
      }
      if (whole === undefined) chunks.push(chunk);
      else whole.set(chunk, received);
      received += chunk.length;
    });
    response.on('end', () => {
      if (!response.complete || (announced !== undefined && received !== announced)) return;
      resolve(whole ?? Buffer.concat(chunks, received));
    });
    response.on('error', () => undefined);
    // Also fires after a good end, but the promise is settled by then.
    response.on('close', () => {
      reject(
        new ClusterError(
          'transient',
          `${what}: the connection was cut after ${received} bytes of the answer`,
        ),
      );
    });
  });
}

function announcedLength(response: IncomingMessage): number | undefined {
  const header = response.headers['content-length'];
  if (header === undefined) return undefined;
  const length = Number(header);
  return Number.isSafeInteger(length) && length >= 0 ? length : undefined;
}

/** The client prints errors that come after the answer's head, raw packets included, to stdout; this prevents it. */
export function silenceLateErrors(request: ClientRequest): void {
  request.removeAllListeners('error');
  request.on('error', () => undefined);
}
