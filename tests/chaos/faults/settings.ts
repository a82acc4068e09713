import type { Arena } from '../arena';

/** @returns whether one of these indices has that setting, whatever it is */
export async function hasSetting(arena: Arena, indices: string, name: string): Promise<boolean> {
  const path = `/${indices}/_settings/${name}?flat_settings=true&expand_wildcards=all`;
  return JSON.stringify(await arena.ask('GET', path)).includes(`"${name}"`);
}
