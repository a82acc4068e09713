import { createAoscClient } from '@aosc/client';

/** Reports each change until the migration has ended, or the signal fires. */
export async function watch(url: string, signal: AbortSignal, tell: (line: string) => void): Promise<void> {
  const client = createAoscClient({ url, credentials: { apiKey: 'the-key' } });
  for await (const status of client.watch('cities-v1', { signal, intervalMs: 500 })) {
    const { documents_indexed: copied = 0, total_documents: total = 0 } = status.progress ?? {};
    tell(`${status.phase}: ${copied} of ${total} documents copied`);
    if (status.waiting_for !== undefined)
      tell(`it waits: ${status.waiting_for.text ?? status.waiting_for.reason}`);
  }
}
