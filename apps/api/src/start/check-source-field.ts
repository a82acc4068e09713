import type { ApiDependencies } from '../dependencies';
import type { StartContext } from './start-context';

/**
 * The copy is made of `_source`. A field that the source index leaves out of `_source` is searchable there and would be
 * missing in the target; what a target leaves out is lost. No count would show either, because the counts are equal.
 */
export async function findSourceFieldProblems(
  { readSourceFilter }: Pick<ApiDependencies, 'readSourceFilter'>,
  { source, target, files, call }: Pick<StartContext, 'source' | 'target' | 'files' | 'call'>,
): Promise<readonly string[]> {
  const find = async (problem: string, index: string): Promise<readonly string[]> => {
    const filter = await readSourceFilter(index, call);
    if (filter === 'whole') return [];
    const how = filter === 'disabled' ? 'is disabled' : 'includes or excludes some fields only';
    return [`${problem}: its mapping's [_source] ${how}`];
  };
  return [
    ...(await find(`source index [${source.index}] can't be copied whole`, source.index)),
    // A target of files does not exist yet, and will have the mapping of the source.
    ...(files === undefined
      ? await find(`target index [${target.index}] would not keep the documents whole`, target.index)
      : []),
  ];
}
