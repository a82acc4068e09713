import { digestOfSource } from '../digest';
import type { ExpectedState, WriterModel } from '../model';
import { digestOfText, type Operation } from './operation';
import type { Acknowledgement } from './outcome';
import type { ShardLookup } from './shard-lookup';

/** One operation as OpenSearch acknowledged it. */
export interface AcknowledgedOperation extends Acknowledgement {
  readonly operation: Operation;
  readonly sentAtMillis: number;
  readonly acknowledgedAtMillis: number;
}

/**
 * Writes an acknowledgement into the model.
 * @param maybeApplied an earlier attempt of the same operation may have been applied as well, or still be
 * @param mayRepeat this attempt may be applied once more, in the index that has acknowledged it
 * @returns what contradicts the history so far ("a write that was acknowledged is not there any more"), if anything
 */
export async function recordAcknowledgement(
  model: WriterModel,
  shards: ShardLookup,
  operation: Operation,
  acknowledgement: Acknowledgement,
  maybeApplied: boolean,
  mayRepeat = false,
): Promise<string | undefined> {
  const { id, routing } = operation;
  const { index, seqNo, primaryTerm } = acknowledgement;
  const contradiction = maybeApplied ? undefined : findContradiction(model, operation, acknowledgement);
  const at = { index, seqNo, primaryTerm };
  // with several routings in one shard, any write of an id replaces what another routing had written there
  for (const other of model.otherRoutings(id, routing)) {
    if ((await shards.shardOf(index, other)) !== (await shards.shardOf(index, routing ?? id))) continue;
    model.set({ id, routing: other, acceptable: [{ present: false }], uncertain: maybeApplied, ...at });
  }
  const state = stateAfter(operation, acknowledgement, maybeApplied || mayRepeat);
  model.set({ id, routing, acceptable: [state], uncertain: maybeApplied, ...at });
  return contradiction;
}

/** No attempt was acknowledged, but one may have been applied: both the old and the new state are right. */
export function recordUnknown(model: WriterModel, operation: Operation): void {
  const { id, routing } = operation;
  const unseen: ExpectedState =
    operation.purpose === 'insert' || operation.purpose === 'reroute' || operation.purpose === 'move'
      ? { present: false }
      : { present: true, sourceDigest: undefined, version: undefined };
  const before = model.get(id, routing);
  const after: ExpectedState =
    operation.verb === 'delete'
      ? { present: false }
      : { present: true, sourceDigest: digestOfOperation(operation), version: undefined };
  model.set({
    id,
    routing,
    acceptable: [...(before?.acceptable ?? [unseen]), after],
    uncertain: true,
    index: before?.index,
    seqNo: before?.seqNo,
    primaryTerm: before?.primaryTerm,
  });
  for (const other of model.otherRoutings(id, routing)) {
    const sibling = model.get(id, other);
    if (sibling === undefined) continue;
    model.set({ ...sibling, acceptable: [...sibling.acceptable, { present: false }], uncertain: true });
  }
}

/** An external version is on the document already: an earlier attempt of this very operation was applied. */
export function recordAppliedEarlier(model: WriterModel, operation: Operation): void {
  const { id, routing, externalVersion } = operation;
  const state: ExpectedState =
    operation.verb === 'delete'
      ? { present: false }
      : { present: true, sourceDigest: digestOfOperation(operation), version: String(externalVersion) };
  const nowhere = { index: undefined, seqNo: undefined, primaryTerm: undefined };
  model.set({ id, routing, acceptable: [state], uncertain: true, ...nowhere });
}

function stateAfter(
  operation: Operation,
  { version, source }: Acknowledgement,
  maybeApplied: boolean,
): ExpectedState {
  if (operation.verb === 'delete') return { present: false };
  const sourceDigest =
    operation.verb === 'update'
      ? source === undefined
        ? undefined
        : digestOfSource(source)
      : digestOfOperation(operation);
  const versionKnown = !maybeApplied || operation.externalVersion !== undefined;
  return { present: true, sourceDigest, version: versionKnown ? version : undefined };
}

/** Content of a whole document; a partial update's result is known from its answer only. */
function digestOfOperation({ verb, body }: Operation): string | undefined {
  return verb === 'index' && body !== undefined ? digestOfText(body) : undefined;
}

/**
 * Holds an answer against the history: a document that was acknowledged must still be there for the next
 * operation on it, with the version it had, also when this goes into another index.
 */
function findContradiction(
  model: WriterModel,
  operation: Operation,
  { result, version }: Acknowledgement,
): string | undefined {
  const { purpose, id, routing, externalVersion, shared } = operation;
  const describe = (expected: string): string =>
    `${purpose} of ${id}${routing === undefined ? '' : ` (${routing})`}: ${result}, version ${version}; expected ${expected}`;
  if (externalVersion !== undefined && version !== String(externalVersion)) {
    return describe(`version ${externalVersion}`);
  }
  if (shared) return undefined;
  const wasPresent = purpose === 'update' || purpose === 'partial' || purpose === 'delete';
  const expected = !wasPresent ? 'created' : purpose === 'delete' ? 'deleted' : 'updated';
  if (result !== expected) return describe(expected);
  const before = model.get(id, routing)?.acceptable[0];
  if (!wasPresent || externalVersion !== undefined) return undefined;
  if (before?.present !== true || before.version === undefined) return undefined;
  const next = String(BigInt(before.version) + 1n);
  return version === next ? undefined : describe(`version ${next}`);
}
