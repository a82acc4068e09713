import { ownValue, isObject } from '@aosc/contract';
import type { TemplateGifts } from '@aosc/opensearch';
import type { Definition } from './plan-target';

type Values = Readonly<Record<string, unknown>>;

/**
 * What becomes of a definition where templates match its index's name, as far as this service can foresee it: the
 * definition wins, field by field.
 * @param gifts the strongest last
 */
export function withTemplates(
  { settings, mappings }: Definition,
  gifts: readonly Pick<TemplateGifts, 'settings' | 'mappings'>[],
): Definition {
  const layers = [...gifts.map((gift) => gift.mappings), mappings];
  return {
    settings: Object.assign({}, ...gifts.map((gift) => flatten(gift.settings)), settings) as Values,
    mappings: layers.reduce<Values>(mergeMappings, {}),
  };
}

/** Nested settings as names with dots, each of which begins with `index.`. */
function flatten(settings: Values): Values {
  const names: [string, unknown][] = [];
  const visit = (prefix: string, values: Values): void => {
    for (const [name, value] of Object.entries(values)) {
      if (isObject(value)) visit(`${prefix}${name}.`, value);
      else names.push([`${prefix}${name}`, value]);
    }
  };
  visit('', settings);
  return Object.fromEntries(
    names.map(([name, value]) => [name.startsWith('index.') ? name : `index.${name}`, value]),
  );
}

/** Merges objects by their fields; of a field that is no object the stronger mapping wins. */
function mergeMappings(weaker: Values, stronger: Values): Values {
  const below = ownValue(weaker, 'properties');
  const above = ownValue(stronger, 'properties');
  if (!isObject(below) || !isObject(above)) return { ...weaker, ...stronger };
  const properties = Object.entries({ ...below, ...above }).map(([name, field]) => {
    const [weak, strong] = [ownValue(below, name), ownValue(above, name)];
    const isTree = [weak, strong].every((each) => isObject(each) && isObject(ownValue(each, 'properties')));
    return [
      name,
      isTree && isObject(weak) && isObject(strong) ? mergeMappings(weak, strong) : field,
    ] as const;
  });
  return { ...weaker, ...stronger, properties: Object.fromEntries(properties) };
}
