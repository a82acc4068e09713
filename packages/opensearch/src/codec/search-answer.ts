import { ClusterError } from '@aosc/engine';
import { classifyInnerError } from '../client/classify';
import { eachElement, eachMember, expectEnd, malformed, skipContainer, skipValue } from './json-cursor';
import { HitBounds, scanHit } from './hit-scanner';
import { scanKnownHit } from './known-hit';
import { refuseNul } from './source-bounds';

/**
 * Scans the answer of a `_search` and passes on the bounds of each hit. It validates the whole answer: the hits count
 * only when this function returns. It ignores `terminated_early`: no request here asks for that, and 3.7.0 sets it for
 * searches of size 0 whose total and aggregations are complete.
 * @throws ClusterError 'transient' for a truncated, malformed, timed out or partial answer ('snapshot_lost' when a
 *   shard says so), 'invalid' for a document that can't be read
 */
export function scanSearchAnswer(bytes: Buffer, onHit: (hit: HitBounds) => void): void {
  const seen: { timedOut: string | undefined; shards: boolean; hits: number } = {
    timedOut: undefined,
    shards: false,
    hits: -1,
  };
  refuseNul(bytes);
  const end = eachMember(bytes, 0, (keyStart, keyEnd, value) => {
    const after = (): number => skipValue(bytes, value);
    switch (bytes.toString('latin1', keyStart, keyEnd)) {
      case 'timed_out': {
        const valueEnd = after();
        seen.timedOut = bytes.toString('latin1', value, valueEnd);
        return valueEnd;
      }
      case '_shards': {
        const valueEnd = skipContainer(bytes, value);
        expectAllShards(JSON.parse(bytes.toString('utf8', value, valueEnd)));
        seen.shards = true;
        return valueEnd;
      }
      case 'hits': {
        const counted = scanHits(bytes, value, onHit);
        seen.hits = counted.hits;
        return counted.end;
      }
      default:
        return after();
    }
  });
  expectEnd(bytes, end);
  if (seen.timedOut !== 'false') {
    throw partial(seen.timedOut === undefined ? 'no timed_out' : 'the search timed out');
  }
  if (!seen.shards) throw partial('no _shards');
  if (seen.hits === -1) throw partial('no hits');
}

function scanHits(
  bytes: Buffer,
  from: number,
  onHit: (hit: HitBounds) => void,
): { end: number; hits: number } {
  const hit = new HitBounds();
  const seen = { hits: -1 };
  let first = -1;
  let headLength = 0;
  const scan = (element: number): number => {
    if (first !== -1) {
      const known = scanKnownHit(bytes, element, hit, first, headLength);
      if (known !== -1) return known;
      hit.reset();
    }
    const hitEnd = scanHit(bytes, element, hit);
    if (hit.idStart === -1) throw malformed('a hit without _id', element);
    first = element;
    headLength = hit.idStart - element;
    return hitEnd;
  };
  const end = eachMember(bytes, from, (keyStart, keyEnd, value) => {
    if (bytes.toString('latin1', keyStart, keyEnd) !== 'hits') return skipValue(bytes, value);
    seen.hits = 0;
    return eachElement(bytes, value, (element) => {
      hit.reset();
      const hitEnd = scan(element);
      seen.hits += 1;
      onHit(hit);
      return hitEnd;
    });
  });
  if (seen.hits === -1) throw malformed('no hits.hits', from);
  return { end, hits: seen.hits };
}

/**
 * Every shard of the request must have answered. `failed` is not enough: a shard without an active copy is missing from
 * `successful`, but does not count as failed.
 */
function expectAllShards(shards: unknown): void {
  if (typeof shards !== 'object' || shards === null) throw partial('no _shards');
  const { total, successful, failed, failures } = shards as Record<string, unknown>;
  if (Array.isArray(failures) && failures.length > 0) {
    const failure: unknown = failures[0];
    const reason =
      typeof failure === 'object' && failure !== null && 'reason' in failure ? failure.reason : failure;
    throw classifyInnerError('a shard', reason);
  }
  if (failed !== 0) throw partial(`${String(failed)} shards failed`);
  if (typeof total !== 'number' || total < 1 || successful !== total) {
    throw partial(`${String(successful)} of ${String(total)} shards answered`);
  }
}

function partial(why: string): ClusterError {
  return new ClusterError('transient', `incomplete answer of _search: ${why}`);
}
