/** The element at a position that the list must have. @throws RangeError when the list does not have it */
export function requireElement<T>(list: readonly T[], index: number): T {
  const element = list[index];
  if (element === undefined) throw new RangeError(`no element ${index} in a list of ${list.length}`);
  return element;
}
