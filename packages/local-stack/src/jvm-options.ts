import type { Lifetime } from './node-config';

export interface JvmPlaces {
  readonly heapMb: number;
  readonly lifetime: Lifetime;
  /** Absolute; crash reports go here. */
  readonly logFolder: string;
  /** Absolute; heap dumps go here. */
  readonly dataFolder: string;
}

/**
 * A distribution's `jvm.options` for one node of several that share the distribution: the heap changed, and the
 * paths that are relative to its home (which the node may not write to) made the node's own. Lines bound to
 * certain Java versions ("20-:--add-modules=...") stay; garbage collection is not logged.
 */
export function adaptJvmOptions(
  text: string,
  { heapMb, lifetime, logFolder, dataFolder }: JvmPlaces,
): string {
  const kept = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .filter((line) => !/^-Xm[sx]/.test(withoutRange(line)) && !/^-X(log|loggc):/.test(withoutRange(line)))
    .map((line) => line.replace(/(-XX:HeapDumpPath=)(?!\/)\S+/, (_, flag: string) => `${flag}${dataFolder}`))
    .map((line) =>
      line.replace(
        /(-XX:ErrorFile=)(?!\/)(?:\S*\/)?(\S+)/,
        (_, flag: string, file: string) => `${flag}${logFolder}/${file}`,
      ),
    );
  const compiler = lifetime === 'short' ? ['-XX:TieredStopAtLevel=1'] : [];
  return [...kept, ...compiler, `-Xms${heapMb}m`, `-Xmx${heapMb}m`, ''].join('\n');
}

function withoutRange(line: string): string {
  return line.replace(/^\d+(-\d*)?:/, '');
}
