import { useId } from 'react';
import type { Schema } from '../../schema/check-schema';
import { describeRange } from './schema-fields';

interface FieldProps {
  readonly label: string;
  readonly help?: string | undefined;
  readonly value: string;
  readonly problem?: string | undefined;
  readonly isLong?: boolean;
  readonly isCode?: boolean;
  readonly isNumber?: boolean;
  readonly onChange: (text: string) => void;
}

/** A text with its name, what it is for, and what is wrong with it. */
export function Field({ label, help, value, problem, isLong, isCode, isNumber, onChange }: FieldProps) {
  const id = useId();
  const shared = {
    id,
    value,
    className: isCode === true ? 'code' : undefined,
    'aria-describedby': `${id}-help`,
    'aria-invalid': problem !== undefined,
    autoComplete: 'off',
    spellCheck: false,
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {isLong === true ? (
        <textarea {...shared} rows={5} onChange={({ target }) => onChange(target.value)} />
      ) : (
        <input
          {...shared}
          inputMode={isNumber === true ? 'numeric' : 'text'}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
      <p id={`${id}-help`} className="help">
        {problem !== undefined && <strong className="wrong">This {problem}. </strong>}
        {help}
      </p>
    </div>
  );
}

/** An option of a start, by the API's own schema. */
export function OptionField({
  name,
  schema,
  value,
  problem,
  onChange,
}: {
  readonly name: string;
  readonly schema: Schema;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (text: string) => void;
}) {
  const id = useId();
  const { type, description } = schema;
  const range = describeRange(schema);
  const help = [typeof description === 'string' ? description : '', range === '' ? '' : `(${range})`]
    .join(' ')
    .trim();
  if (type === 'boolean') {
    return (
      <div className="field">
        <label htmlFor={id}>{name}</label>
        <select
          id={id}
          value={value}
          aria-describedby={`${id}-help`}
          onChange={({ target }) => onChange(target.value)}
        >
          <option value="">default</option>
          <option value="true">true</option>
          <option value="false">false</option>
        </select>
        <p id={`${id}-help`} className="help">
          {help}
        </p>
      </div>
    );
  }
  const isNumber = type === 'integer' || type === 'number';
  return (
    <Field
      label={name}
      help={help}
      value={value}
      problem={problem}
      isLong={!isNumber}
      isCode
      isNumber={isNumber}
      onChange={onChange}
    />
  );
}
