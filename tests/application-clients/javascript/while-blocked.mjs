// README.md shows what is between the marks.
// snippet:begin
/** Sends a write again while OpenSearch refuses it because of a write block. `write` sends it, and throws the refusal. */
export async function whileBlocked(write, tryForMs = 90_000) {
  const deadline = Date.now() + tryForMs;
  for (let pauseMs = 50; ; pauseMs = Math.min(1_000, 2 * pauseMs)) {
    try {
      return await write();
    } catch (error) {
      const isBlocked = error.statusCode === 403 && error.body?.error?.type === 'cluster_block_exception';
      if (!isBlocked || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * pauseMs));
    }
  }
}
// snippet:end
