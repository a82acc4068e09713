import type { CreateTargetRequest, StartRequest } from '@aosc/client';
import { isObject } from '../../api/is-object';
import { parseJson, problemOf, type ValueSchema, type ValueSchemas } from '../../schema/value-schemas';

/** What the form holds: texts as they were typed. */
export interface StartForm {
  readonly source: string;
  readonly alias: string;
  /** the swap may create an alias that is not on the source */
  readonly createsAlias: boolean;
  readonly target: string;
  /** the target is made from the source; otherwise it exists */
  readonly makesTarget: boolean;
  /** the new target is made of the source's files */
  readonly byFiles: boolean;
  readonly shards: string;
  /** JSON */
  readonly settings: string;
  readonly mappings: string;
  /** by name; an option that was not touched is not in it */
  readonly options: ReadonlyMap<string, string>;
  /** Painless; empty: documents are copied as they are */
  readonly script: string;
  /** JSON */
  readonly scriptParams: string;
}

export const emptyForm: StartForm = {
  source: '',
  alias: '',
  createsAlias: false,
  target: '',
  makesTarget: true,
  byFiles: false,
  shards: '',
  settings: '',
  mappings: '',
  options: new Map(),
  script: '',
  scriptParams: '',
};

/** What the form is checked against. */
export interface FormContext {
  readonly schemas: ValueSchemas;
  /** the value of an option that the reader has not touched */
  readonly defaults: ReadonlyMap<string, string>;
  /** of the source; undefined: not known */
  readonly aliases: readonly string[] | undefined;
}

/** What is wrong with the text of each field; `options.` stands before an option's name. */
export function problemsOf(form: StartForm, { schemas, aliases }: FormContext): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const note = (field: string, problem: string | undefined): void => {
    if (problem !== undefined) found.set(field, problem);
  };
  const [source, target, alias] = [form.source.trim(), form.target.trim(), form.alias.trim()];
  note('source', source === '' ? 'is required' : undefined);
  note('target', target === '' ? 'is required' : target === source ? 'is the source itself' : undefined);
  note('alias', alias === '' ? 'is required' : undefined);
  if (alias !== '' && aliases !== undefined && !aliases.includes(alias) && !form.createsAlias) {
    const known = aliases.length === 0 ? 'which has no alias' : `whose aliases are ${aliases.join(', ')}`;
    note('alias', `is not on ${source}, ${known}`);
  }
  if (form.makesTarget) {
    const isCount = form.shards === '' || /^[1-9]\d{0,3}$/.test(form.shards);
    note('shards', isCount ? undefined : 'must be a number from 1 to 1024');
    const isSaid = (text: string): boolean => text.trim() !== '';
    const hasSettings = !isSaid(form.settings) || isSettings(parseJson(form.settings));
    note('settings', hasSettings ? undefined : 'is not a JSON object of settings by full name');
    const hasMappings = !isSaid(form.mappings) || isObject(parseJson(form.mappings));
    note('mappings', hasMappings ? undefined : 'is not a JSON object');
  }
  for (const [name, text] of form.options) note(`options.${name}`, problemOf(text, schemas.get(name)));
  note('scriptParams', problemOfParams(form));
  return found;
}

/** The request of a start. A part that is wrong is left out. */
export function startRequestOf(form: StartForm, { schemas, defaults }: FormContext): StartRequest {
  const options = [...form.options].flatMap(([name, text]): [string, unknown][] => {
    if (text.trim() === '' || text === defaults.get(name)) return [];
    const value = readValue(text, schemas.get(name));
    return value === undefined ? [] : [[name, value]];
  });
  if (form.createsAlias) options.push(['create_alias', true]);
  if (isMadeOfFiles(form)) options.push(['copy', 'files']);
  const script = readScript(form);
  const { target_index: target, ...made } = targetRequestOf(form);
  return {
    target_index: target,
    alias: form.alias.trim(),
    ...(isMadeOfFiles(form) && { create_target: made }),
    ...(options.length > 0 && { options: Object.fromEntries(options) }),
    ...(script !== undefined && { transform_script: script }),
  };
}

/** The start makes the target itself then. */
export function isMadeOfFiles({ makesTarget, byFiles }: Pick<StartForm, 'makesTarget' | 'byFiles'>): boolean {
  return makesTarget && byFiles;
}

/** The request that makes the target. */
export function targetRequestOf({ target, shards, settings, mappings }: StartForm): CreateTargetRequest {
  const [ownSettings, ownMappings] = [parseJson(settings), parseJson(mappings)];
  return {
    target_index: target.trim(),
    ...(shards !== '' && { number_of_shards: Number(shards) }),
    ...(isSettings(ownSettings) && { settings: ownSettings }),
    ...(isObject(ownMappings) && { mappings: { ...ownMappings } }),
  };
}

/** Texts, numbers, flags, lists of them, and null by name. */
function isSettings(value: unknown): value is NonNullable<CreateTargetRequest['settings']> {
  return (
    isObject(value) && Object.values(value).every((each) => [each].flat().every((one) => !isObject(one)))
  );
}

function readScript({ script, scriptParams }: StartForm): StartRequest['transform_script'] {
  if (script.trim() === '') return undefined;
  const params = parseJson(scriptParams);
  return { type: 'inline', source: script, ...(isObject(params) && { params: { ...params } }) };
}

function problemOfParams({ script, scriptParams }: StartForm): string | undefined {
  if (script.trim() === '' || scriptParams.trim() === '') return undefined;
  if (!isObject(parseJson(scriptParams))) return 'is not a JSON object';
  const lost = findLostDecimal(scriptParams);
  if (lost === undefined) return undefined;
  return `has the decimal ${lost}, which would reach the script as an integer: write it into the script itself`;
}

/** A decimal that is a whole number, like 2.0: JavaScript makes an integer of it, and a script sees the difference. */
function findLostDecimal(json: string): string | undefined {
  const numbers = json.replace(/"(?:\\.|[^"\\])*"/g, '""').match(/-?\d[\d.eE+-]*/g) ?? [];
  return numbers.find((token) => /[.eE]/.test(token) && !/[.e]/.test(String(Number(token))));
}

/** @returns undefined: the text is no such value */
function readValue(text: string, schema: ValueSchema | undefined): unknown {
  const [type] = schema?.types ?? [];
  if (type === 'boolean') return text === 'true';
  if (type === 'integer' || type === 'number') return Number.isNaN(Number(text)) ? undefined : Number(text);
  return type === 'string' ? text.trim() : parseJson(text);
}
