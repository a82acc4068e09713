import type { ApiDependencies } from '../dependencies';
import type { StartContext } from './start-context';

/**
 * The copy is made of `_source`. A field that the source index leaves out of `_source` is searchable there and would be
 * missing in the target. No count would show the loss, because the counts are equal.
 */
export async function findSourceFieldProblems(
  { readSourceFilter }: ApiDependencies,
  { source, call }: StartContext,
): Promise<readonly string[]> {
  const filter = await readSourceFilter(source.index, call);
  if (filter === 'whole') return [];
  const how = filter === 'disabled' ? 'is disabled' : 'includes or excludes some fields only';
  return [`source index [${source.index}] can't be copied whole: its mapping's [_source] ${how}`];
}
