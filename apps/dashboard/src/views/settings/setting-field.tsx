import { memo } from 'react';
import { settingTitle } from '../../explain/setting-names';
import { describeRange, problemOf, type ValueSchema } from '../../schema/value-schemas';
import { Menu } from '../../ui/menu';

interface SettingFieldProps {
  readonly name: string;
  /** in force */
  readonly value: string;
  /** typed and not applied yet; undefined: not touched */
  readonly edit: string | undefined;
  readonly schema: ValueSchema | undefined;
  readonly isReadOnly: boolean;
  readonly onChange: (name: string, text: string) => void;
}

/** One setting: what it is, its value, and whether that is its default. */
export const SettingField = memo(function SettingField(props: SettingFieldProps) {
  const { name, value, edit, schema, isReadOnly, onChange } = props;
  const fallback = schema?.fallback;
  const shown = edit ?? value;
  const problem = problemOf(shown, schema);
  const isChanged = fallback !== undefined && value !== fallback;
  const choices = choicesOf(schema);
  return (
    <div
      className={`setting ${isChanged ? 'setting-changed' : ''} ${edit === undefined ? '' : 'setting-edited'}`}
    >
      <div>
        <p className="setting-title">{settingTitle(name) ?? name}</p>
        <code className="sub">{name}</code>
        <p className="sub">{withoutRange(schema?.description)}</p>
      </div>
      <div>
        {choices.length > 0 && !isReadOnly ? (
          <Menu
            label={name}
            value={shown}
            choices={choices}
            nameOf={(choice) => choice}
            onChoose={(choice) => onChange(name, choice)}
          />
        ) : (
          <input
            className="code"
            aria-label={name}
            aria-invalid={problem !== undefined}
            aria-describedby={`${name}-note`}
            value={shown}
            readOnly={isReadOnly}
            onChange={({ target }) => onChange(name, target.value)}
          />
        )}
        <p id={`${name}-note`} className="sub">
          {problem !== undefined && <strong className="wrong">This {problem}. </strong>}
          {isChanged ? `Default: ${fallback}` : 'Default'}
          {schema !== undefined && describeRange(schema) !== '' && `, ${describeRange(schema)}`}
        </p>
        {(isChanged || edit !== undefined) && !isReadOnly && fallback !== undefined && shown !== fallback && (
          <button type="button" className="button-bare" onClick={() => onChange(name, '')}>
            Back to the default
          </button>
        )}
      </div>
    </div>
  );
});

function choicesOf(schema: ValueSchema | undefined): readonly string[] {
  return schema?.choices ?? (schema?.types[0] === 'boolean' ? ['true', 'false'] : []);
}

/** The range stands beside the field. */
const withoutRange = (text = ''): string => text.replace(/; at (?:least|most) .*$/, '');
