import type { TargetRequest } from './target-request';

/** Fields that compute their values, and what they are written in. */
const scripted = new Set(['script', 'derived']);
/** `index.analysis.filter.x.script.source`, `index.similarity.x.weight_script.source` */
const scriptSetting = /^index\.(?:analysis|similarity)\..*script/;

/**
 * Where a request would give the cluster code to run: derived fields, scripted similarities, token filters. What the
 * source has is there already.
 * @returns the first place
 */
export function findScript({
  settings,
  mappings,
}: Pick<TargetRequest, 'settings' | 'mappings'>): string | undefined {
  const setting = Object.keys(settings).find((name) => scriptSetting.test(name));
  if (setting !== undefined) return `settings.${setting}`;
  return findIn('mappings', mappings);
}

function findIn(path: string, value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const place = `${path}.${name}`;
    // A field of that name is an object of properties and has a type; a script is told by its place all the same.
    if (scripted.has(name) && inner !== null) return place;
    const found = findIn(place, inner);
    if (found !== undefined) return found;
  }
  return undefined;
}
