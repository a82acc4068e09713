import {
  type CreateTargetRequest,
  CreateTargetRequestSchema,
  fewHints,
  ownValue,
  shorten,
  createBodyReader,
  refuseAll,
} from '@aosc/contract';
import { isIndexName, findNameProblems } from '../start/name-problems';
import { findNumberProblems } from '../start/query-problems';
import { isPermittedSetting, permitted } from '../start/permitted-settings';

/** A request to create a target whose parts are all there and well formed. */
export interface TargetRequest {
  readonly source: string;
  readonly target: string;
  /** undefined: as many as the source has */
  readonly shardCount: number | undefined;
  readonly settings: NonNullable<CreateTargetRequest['settings']>;
  /** a JSON merge patch */
  readonly mappings: Readonly<Record<string, unknown>>;
}

const readBody = createBodyReader(CreateTargetRequestSchema);
/** Settings that decide how the target is made, beside those that a start may set. */
export const atCreation: readonly string[] = [
  'index.analysis.*',
  'index.codec',
  'index.codec.*',
  'index.final_pipeline',
  'index.number_of_routing_shards',
  'index.replication.type',
  'index.routing_partition_size',
  'index.similarity.*',
  'index.sort.*',
];

/** These name a file of the node, and a refusal quotes it. */
const ofFiles = /(?:_path|_file|_files|user_dictionary|locale)$/;
/** A filter for Hunspell takes these as other names of `locale`; stemmers take them as well, and read no file. */
const dictionaryName = /^(index\.analysis\.filter\..+)\.(?:language|lang)$/;
const settingName = /^index\.[\w.-]{1,250}$/;
/**
 * OpenSearch makes an object of each part of a name with dots, one within the other, before it looks at
 * `index.mapping.depth.limit`: some thousand end the node with a StackOverflowError (3.7.0, `ObjectMapper.Builder`).
 */
const maxLevels = 250;

/**
 * Reads the body of `_create_target`, and collects everything that is wrong with it in one error.
 * @param hiddenIndices patterns of hidden names that may be used
 * @throws AoscError validation_failed; parsing_failed when the body is no object
 */
export function readTargetRequest(
  source: string,
  body: unknown,
  hiddenIndices: readonly string[],
): TargetRequest {
  const request = readBody(body);
  const { target_index: target = '', settings = {}, mappings = {} } = request;
  const problems = [
    ...(source.trim() === '' ? ['source index is required'] : []),
    ...(target.trim() === '' ? ['target_index is required'] : findTargetProblems(source, target)),
    ...findNameProblems({ source, target, alias: '' }, hiddenIndices),
    ...findEditProblems({ settings, mappings }),
  ];
  refuseAll(problems);
  return { source, target, shardCount: request.number_of_shards, settings, mappings };
}

/** What is wrong with what shall differ from the source. */
export function findEditProblems({
  settings = {},
  mappings = {},
}: Pick<CreateTargetRequest, 'settings' | 'mappings'>): readonly string[] {
  return [
    ...findSettingProblems(settings),
    ...findNumberProblems('mappings', mappings),
    ...(levelsOf(mappings) > maxLevels
      ? [`mappings are deeper than ${maxLevels} levels, dots in names included`]
      : []),
  ];
}

function findTargetProblems(source: string, target: string): readonly string[] {
  if (target === source) return ['source index and target_index must be different'];
  return isIndexName(target) ? [] : [`target_index [${shorten(target)}] is not a name an index can have`];
}

function findSettingProblems(settings: TargetRequest['settings']): readonly string[] {
  const hint = fewHints([...permitted, ...atCreation]);
  return Object.keys(settings).flatMap((name) => {
    if (name === 'index.number_of_shards') {
      return ['settings must not have [index.number_of_shards]: use number_of_shards'];
    }
    if (ofFiles.test(name) || mayNameDictionary(name, settings)) {
      return [
        `settings must not have [${shorten(name)}]: it reads a file of the node; create such a target yourself`,
      ];
    }
    if (settingName.test(name) && isPermittedSetting(name, atCreation)) return [];
    return [
      `settings must not have [${shorten(name)}]${hint(name)}; names begin with [index.], ` +
        'and docs/reference/target-settings.md lists them',
    ];
  });
}

/** A filter whose type the request leaves out may be a Hunspell filter in the source. */
function mayNameDictionary(name: string, settings: TargetRequest['settings']): boolean {
  const filter = dictionaryName.exec(name)?.[1];
  if (filter === undefined) return false;
  const type = ownValue(settings, `${filter}.type`);
  return typeof type !== 'string' || type.trim().toLowerCase() === 'hunspell';
}

/** How deep a mapping is to OpenSearch. @param value nested at most as deep as bodies may be */
function levelsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let levels = 0;
  for (const [name, inner] of Object.entries(value)) {
    levels = Math.max(levels, name.split('.').length + levelsOf(inner));
  }
  return levels;
}
