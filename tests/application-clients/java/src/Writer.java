import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.hc.core5.http.HttpHost;
import org.opensearch.client.opensearch.OpenSearchClient;
import org.opensearch.client.opensearch.core.bulk.BulkOperation;
import org.opensearch.client.opensearch.core.bulk.BulkResponseItem;
import org.opensearch.client.transport.httpclient5.ApacheHttpClient5TransportBuilder;

/** `java Writer URL ALIAS PREFIX`: one of the writers of ../writer-process.ts, which says what it reads and prints. */
public final class Writer {
  private static final int KEYS = 300;
  private static final int BATCH = 10;
  private static final long PACE_MILLIS = 50;

  private static volatile boolean stopped = false;

  public static void main(String[] args) throws Exception {
    stopAtTheEndOfInput();
    try (var transport = ApacheHttpClient5TransportBuilder.builder(HttpHost.create(args[0])).build();
        var ingester = new RetryingIngester(
            new OpenSearchClient(transport), args[1], Duration.ofSeconds(90), () -> tell("{\"refused\":1}"))) {
      for (int next = 0; !stopped; next += BATCH) {
        if (!writeBatch(ingester, args[2], next)) break;
        Thread.sleep(PACE_MILLIS);
      }
    }
  }

  private static void stopAtTheEndOfInput() {
    var reader = new Thread(() -> {
      try {
        System.in.readAllBytes();
      } catch (java.io.IOException broken) {
        // it has ended as well
      }
      stopped = true;
    });
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Every second write has an id that is written once; the others go round, and delete what they wrote now and then.
   *
   * @return whether each write is done
   */
  private static boolean writeBatch(RetryingIngester ingester, String prefix, int first) {
    List<CompletableFuture<BulkResponseItem>> results = new ArrayList<>();
    List<String> told = new ArrayList<>();
    for (int number = first; number < first + BATCH; number++) {
      int key = number / 2 % KEYS;
      int revision = number / 2 / KEYS;
      String id = prefix + (number % 2 == 1 ? "-once-" + number : "-" + key);
      boolean isDelete = number % 2 == 0 && revision > 0 && (revision + key) % 3 == 0;
      results.add(ingester.write(isDelete ? deletion(id) : revisionOf(id, prefix, revision)));
      told.add("{\"id\":\"" + id + "\",\"revision\":" + (isDelete ? "null" : revision) + "}");
    }
    List<String> failed = new ArrayList<>();
    for (var result : results) {
      BulkResponseItem item = result.join();
      if (item.error() == null) continue;
      failed.add("\"" + item.status() + " " + item.error().type() + "\"");
    }
    if (failed.isEmpty()) tell("{\"acknowledged\":[" + String.join(",", told) + "]}");
    else tell("{\"failed\":[" + String.join(",", failed) + "]}");
    return failed.isEmpty();
  }

  private static BulkOperation deletion(String id) {
    return BulkOperation.of(operation -> operation.delete(delete -> delete.id(id)));
  }

  private static BulkOperation revisionOf(String id, String prefix, int revision) {
    Map<String, Object> document = Map.of("key", prefix, "revision", revision);
    return BulkOperation.of(operation -> operation.index(index -> index.id(id).document(document)));
  }

  private static synchronized void tell(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
