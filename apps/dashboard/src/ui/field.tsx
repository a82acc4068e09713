import { useId } from 'react';
import { Choice, type Option } from './choice';

export interface FieldProps {
  readonly label: string;
  /** what the API calls it */
  readonly apiName?: string | undefined;
  readonly help?: string | undefined;
  readonly value: string;
  /** shown only after the field was left */
  readonly problem?: string | undefined;
  readonly kind?: 'text' | 'code' | 'number';
  /** to choose from; the reader may also type another text */
  readonly options?: readonly Option[] | undefined;
  readonly placeholder?: string | undefined;
  readonly onChange: (text: string) => void;
  readonly onLeave?: (() => void) | undefined;
}

/** A text field with its name, its purpose, and what is wrong with its text. */
export function Field(props: FieldProps) {
  const {
    label,
    apiName,
    help,
    value,
    problem,
    kind = 'text',
    options,
    placeholder,
    onChange,
    onLeave,
  } = props;
  const id = useId();
  const shared = {
    id,
    value,
    placeholder,
    'aria-describedby': `${id}-help`,
    'aria-invalid': problem !== undefined,
    autoComplete: 'off',
    spellCheck: false,
    onBlur: onLeave,
  };
  return (
    <div className="field">
      <span>
        <label htmlFor={id}>{label}</label>
        {apiName !== undefined && <code className="label-code">{apiName}</code>}
      </span>
      {options !== undefined ? (
        <Choice
          id={id}
          value={value}
          options={options}
          placeholder={placeholder}
          describedBy={`${id}-help`}
          isWrong={problem !== undefined}
          onChange={onChange}
          {...(onLeave !== undefined && { onLeave })}
        />
      ) : kind === 'code' ? (
        <textarea {...shared} className="code" rows={4} onChange={({ target }) => onChange(target.value)} />
      ) : (
        <input
          {...shared}
          inputMode={kind === 'number' ? 'numeric' : 'text'}
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
