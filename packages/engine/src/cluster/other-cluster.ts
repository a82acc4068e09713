/** Why a migration can't go on in a cluster into which `.aosc-migrations` was restored or copied. */
export function describeOtherCluster(from: string, here: string): string {
  return (
    `the migration was started in cluster [${from}] and this is cluster [${here}]: its records were restored from a ` +
    'snapshot, or copied, and its indices are others here. Look at the settings and the write block that they came ' +
    'with, and start again into an empty target'
  );
}
