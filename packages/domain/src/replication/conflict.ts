/**
 * What a 409 on writing a document means, once the target was read realtime. With `external_gte` the target refuses only when
 * it has seen a higher version, and with one fenced writer no other writer writes: so the source's version went down, because
 * the document was deleted and created again. The old one has to be deleted first. A version that is equal or lower by now is
 * written again: an equal one does not prove equal content, and writing the same document twice is harmless.
 */
export function wasRecreated(
  seen: { readonly version: string },
  ours: { readonly version: string },
): boolean {
  return BigInt(seen.version) > BigInt(ours.version);
}
