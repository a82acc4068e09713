# snippet:begin
import random
import time

from opensearchpy.helpers import streaming_bulk


def may_retry(answer):
    """429: too much to do. 403 with this type: a write block. 403 with another type: a lack of privileges."""
    kind = answer.get("error", {}).get("type")
    return answer["status"] == 429 or (answer["status"] == 403 and kind == "cluster_block_exception")


def write_all(client, alias, actions, try_for=90.0, on_retry=lambda count: None):
    """Writes through the alias until each action is done, refused for good, or the time (seconds) is over.

    No id may be there twice. Returns the actions that are not done, each with its answer.
    """
    deadline = time.monotonic() + try_for
    failed, pending, attempt = [], list(actions), 0
    while pending:
        refused = []
        answers = streaming_bulk(client, pending, index=alias, raise_on_error=False)
        for action, (done, item) in zip(pending, answers):
            [answer] = item.values()
            if not done and may_retry(answer) and time.monotonic() < deadline:
                refused.append(action)
            elif not done:
                failed.append((action, answer))
        pending = refused
        if pending:
            on_retry(len(pending))
            time.sleep(random.uniform(0, min(1.0, 0.05 * 2 ** min(attempt, 5))))
        attempt += 1
    return failed
# snippet:end
