/** What keeps the bulks of a shard from being larger or more, in words. */
const words: ReadonlyMap<string, string> = new Map([
  ['request_size', 'the cluster takes no larger request'],
  ['overload', 'the cluster refused, or grew slow, a moment ago'],
  ['trial', 'nothing: another size or number is being tried'],
  ['settings', 'the settings allow no more'],
  ['throughput', 'more was not faster, or is not due yet'],
]);

/** @param limit as the status has it; a later version may know others */
export function explainLimit(limit: string): string {
  return words.get(limit) ?? limit;
}
