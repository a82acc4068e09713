import { chmod, copyFile, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { unzip } from './unzip';

const folder = 'plugins/opensearch-security';
export const securityPluginDescriptor = `${folder}/plugin-descriptor.properties`;

/**
 * Puts the security plugin into an unpacked distribution, as `opensearch-plugin install` would. That asks for a
 * terminal's answer to the plugin's permissions, and for the module `rule-framework`, which the minimal distribution
 * does not have. The plugin uses the module only in extensions that the module itself would load, and one library that it
 * would take from there: so here the module is optional, and the library is put beside the plugin.
 * @param libraries jars
 */
export async function unpackSecurityPlugin(
  zipFile: string,
  libraries: readonly string[],
  distribution: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  await unzip(zipFile, join(distribution, folder), signal);
  for (const library of libraries) {
    const copy = join(distribution, folder, basename(library));
    await copyFile(library, copy);
    await chmod(copy, 0o644); // readable by the servers' user
  }
  const descriptor = join(distribution, securityPluginDescriptor);
  await writeFile(descriptor, makeModulesOptional(await readFile(descriptor, 'utf8')));
}

/** Makes every plugin or module that a descriptor extends optional. */
export function makeModulesOptional(descriptor: string): string {
  return descriptor.replace(/^(extended\.plugins=)(.+)$/m, (_, key: string, names: string) => {
    const optional = names.split(',').map((name) => `${(name.split(';')[0] ?? '').trim()};optional=true`);
    return key + optional.join(',');
  });
}
