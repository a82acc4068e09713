"""`python writer.py URL ALIAS PREFIX`: one of the writers of ../writer-process.ts, which says what it reads and prints."""

import json
import os
import sys
import threading
import time

from opensearchpy import OpenSearch
from write_all import write_all

KEYS = 300
BATCH = 10
PACE_SECONDS = 0.05


def tell(line):
    print(json.dumps(line), flush=True)


def write_of(prefix, number):
    """Every second write has an id that is written once; the others go round, and delete what they wrote now and then."""
    revision, key = divmod(number // 2, KEYS)
    name = f"{prefix}-once-{number}" if number % 2 == 1 else f"{prefix}-{key}"
    if number % 2 == 0 and revision > 0 and (revision + key) % 3 == 0:
        return {"id": name, "revision": None}, {"_op_type": "delete", "_id": name}
    return {"id": name, "revision": revision}, {"_id": name, "_source": {"key": prefix, "revision": revision}}


def wait_for_the_end_of_input(stopped):
    # Not sys.stdin: its lock, in the hands of a daemon thread, can break the end of the interpreter.
    while os.read(0, 1024):
        pass
    stopped.set()


def main(url, alias, prefix):
    stopped = threading.Event()
    threading.Thread(target=wait_for_the_end_of_input, args=(stopped,), daemon=True).start()
    client = OpenSearch(url)
    number = 0
    while not stopped.is_set():
        planned = [write_of(prefix, number + at) for at in range(BATCH)]
        number += BATCH
        actions = [action for _, action in planned]
        failed = write_all(client, alias, actions, on_retry=lambda count: tell({"refused": count}))
        if failed:
            tell({"failed": [json.dumps(answer) for _, answer in failed]})
            break
        tell({"acknowledged": [told for told, _ in planned]})
        time.sleep(PACE_SECONDS)
    client.close()


main(*sys.argv[1:])
