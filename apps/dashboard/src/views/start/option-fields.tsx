import { optionWords } from '../../explain/option-names';
import { describeRange, type ValueSchema, type ValueSchemas } from '../../schema/value-schemas';
import { Field } from '../../ui/field';
import type { FormPartProps } from './where';

/** Every option with its value, which is the default until the reader changes it. */
export function OptionFields({
  form,
  change,
  judge,
  schemas,
  defaults,
}: FormPartProps & { readonly schemas: ValueSchemas; readonly defaults: ReadonlyMap<string, string> }) {
  return Object.entries(optionWords).map(([name, { label }]) => {
    const schema = schemas.get(name);
    const fallback = defaults.get(name) ?? '';
    const value = form.options.get(name) ?? fallback;
    const set = (text: string): void => change({ options: new Map([...form.options, [name, text]]) });
    if (schema?.types[0] === 'boolean') {
      return (
        <label key={name} className="check">
          <input
            type="checkbox"
            checked={value === 'true'}
            onChange={({ target }) => set(String(target.checked))}
          />
          <span>
            {label} <code className="label-code">{name}</code>
            <span className="help">{schema.description}</span>
          </span>
        </label>
      );
    }
    return (
      <Field
        key={name}
        label={label}
        apiName={name}
        kind={kindOf(schema)}
        options={schema?.choices?.map((choice) => ({ value: choice }))}
        help={helpOf(schema, fallback)}
        value={value}
        onChange={set}
        {...judge(`options.${name}`)}
      />
    );
  });
}

function kindOf(schema: ValueSchema | undefined): 'code' | 'number' | 'text' {
  const [type] = schema?.types ?? [];
  if (type === 'object' || type === 'array') return 'code';
  return type === 'string' ? 'text' : 'number';
}

function helpOf(schema: ValueSchema | undefined, fallback: string): string {
  const range = schema === undefined ? '' : describeRange(schema);
  const description = schema?.description ?? '';
  const isSaid = fallback === '' || description.includes(` Default: ${fallback}`);
  const limits = [range, isSaid ? '' : `default ${fallback}`].filter((part) => part !== '').join(', ');
  return `${description}${limits === '' ? '' : ` (${limits})`}`;
}
