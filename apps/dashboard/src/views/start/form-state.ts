import { isObject, type Schema } from '../../schema/check-schema';

/** What the form holds: texts as they were typed. */
export interface StartForm {
  readonly source: string;
  readonly target: string;
  readonly alias: string;
  readonly options: ReadonlyMap<string, string>;
  /** Painless; empty: documents are copied as they are */
  readonly script: string;
  /** JSON */
  readonly scriptParams: string;
}

export const emptyForm: StartForm = {
  source: '',
  target: '',
  alias: '',
  options: new Map(),
  script: '',
  scriptParams: '',
};

/** A field whose text can't be what it should be. */
interface FieldError {
  /** as in the body: `options.doc_count_tolerance` */
  readonly field: string;
  readonly message: string;
}

export interface ReadForm {
  /** of the request; what could not be read is left out */
  readonly body: Readonly<Record<string, unknown>>;
  readonly errors: readonly FieldError[];
}

/**
 * The body of the request that a form stands for.
 * @param optionSchemas by name, of the API's document
 */
export function readForm(form: StartForm, optionSchemas: ReadonlyMap<string, Schema>): ReadForm {
  const errors: FieldError[] = [];
  const options: [string, unknown][] = [];
  for (const [name, text] of form.options) {
    if (text.trim() === '') continue;
    const value = readValue(text, optionSchemas.get(name));
    if (value === undefined) errors.push({ field: `options.${name}`, message: 'is not JSON' });
    else options.push([name, value]);
  }
  const script = readScript(form, errors);
  return {
    body: {
      ...(form.target.trim() === '' ? {} : { target_index: form.target.trim() }),
      ...(form.alias.trim() === '' ? {} : { alias: form.alias.trim() }),
      ...(options.length === 0 ? {} : { options: Object.fromEntries(options) }),
      ...(script === undefined ? {} : { transform_script: script }),
    },
    errors,
  };
}

function readScript({ script, scriptParams }: StartForm, errors: FieldError[]): object | undefined {
  if (script.trim() === '') return undefined;
  if (scriptParams.trim() === '') return { type: 'inline', source: script };
  const params = parseJson(scriptParams);
  if (!isObject(params)) {
    errors.push({ field: 'transform_script.params', message: 'is not a JSON object' });
    return { type: 'inline', source: script };
  }
  const lost = findLostDecimal(scriptParams);
  if (lost !== undefined) {
    const message = `has the decimal ${lost}, which would reach the script as an integer: write it into the script itself`;
    errors.push({ field: 'transform_script.params', message });
  }
  return { type: 'inline', source: script, params };
}

/** A decimal that is a whole number, as 2.0: JavaScript makes an integer of it, and a script tells them apart. */
function findLostDecimal(json: string): string | undefined {
  const numbers = json.replace(/"(?:\\.|[^"\\])*"/g, '""').match(/-?\d[\d.eE+-]*/g) ?? [];
  return numbers.find((token) => /[.eE]/.test(token) && !/[.e]/.test(String(Number(token))));
}

/** @returns undefined: it is no JSON where JSON must be */
function readValue(text: string, schema: Schema | undefined): unknown {
  const type = schema?.['type'];
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (type === 'integer' || type === 'number') {
    const number = Number(text);
    // What is no number stays a text, and the schema says so.
    return Number.isNaN(number) ? text : number;
  }
  return parseJson(text);
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
