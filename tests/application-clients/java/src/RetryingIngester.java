// snippet:begin
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.opensearch.client.opensearch.OpenSearchClient;
import org.opensearch.client.opensearch._helpers.bulk.BulkIngester;
import org.opensearch.client.opensearch._helpers.bulk.BulkListener;
import org.opensearch.client.opensearch.core.BulkRequest;
import org.opensearch.client.opensearch.core.BulkResponse;
import org.opensearch.client.opensearch.core.bulk.BulkOperation;
import org.opensearch.client.opensearch.core.bulk.BulkResponseItem;

/** Writes through the alias until each write is done, refused for good, or the time is over. */
public final class RetryingIngester implements AutoCloseable {
  private record Write(
      BulkOperation operation, Instant deadline, int attempt, CompletableFuture<BulkResponseItem> done) {}

  private final BulkIngester<Write> ingester;
  private final Duration tryFor;
  private final Runnable onRetry;

  public RetryingIngester(OpenSearchClient client, String alias, Duration tryFor, Runnable onRetry) {
    this.tryFor = tryFor;
    this.onRetry = onRetry;
    ingester = BulkIngester.of(builder -> builder
        .client(client)
        .globalSettings(settings -> settings.index(alias))
        .flushInterval(50, TimeUnit.MILLISECONDS)
        .listener(new Listener()));
  }

  /** Wait for the result before you write the same id again. The item has an error when the write is not done. */
  public CompletableFuture<BulkResponseItem> write(BulkOperation operation) {
    var write = new Write(operation, Instant.now().plus(tryFor), 0, new CompletableFuture<>());
    ingester.add(operation, write);
    return write.done;
  }

  /** Wait for all results first: a write that waits for its next attempt would end with an exception. */
  @Override
  public void close() {
    ingester.close();
  }

  /** 429: too much to do. 403 with this type: a write block. 403 with another type: a lack of privileges. */
  private static boolean mayRetry(BulkResponseItem item) {
    if (item.error() == null) return false;
    return item.status() == 429
        || (item.status() == 403 && "cluster_block_exception".equals(item.error().type()));
  }

  private void retryLater(Write write) {
    onRetry.run();
    long mostMillis = Math.min(1_000, 50L << Math.min(write.attempt, 5));
    long delay = ThreadLocalRandom.current().nextLong(mostMillis + 1);
    var next = new Write(write.operation, write.deadline, write.attempt + 1, write.done);
    CompletableFuture.delayedExecutor(delay, TimeUnit.MILLISECONDS).execute(() -> {
      try {
        ingester.add(next.operation, next);
      } catch (RuntimeException closed) {
        next.done.completeExceptionally(closed);
      }
    });
  }

  private final class Listener implements BulkListener<Write> {
    @Override
    public void beforeBulk(long id, BulkRequest request, List<Write> writes) {}

    @Override
    public void afterBulk(long id, BulkRequest request, List<Write> writes, BulkResponse response) {
      for (int at = 0; at < writes.size(); at++) {
        Write write = writes.get(at);
        BulkResponseItem item = response.items().get(at);
        if (mayRetry(item) && Instant.now().isBefore(write.deadline)) retryLater(write);
        else write.done.complete(item);
      }
    }

    @Override
    public void afterBulk(long id, BulkRequest request, List<Write> writes, Throwable failure) {
      for (Write write : writes) write.done.completeExceptionally(failure);
    }
  }
}
// snippet:end
