import { type KeyboardEvent, useId, useState } from 'react';
import { Icon } from './icon';

export interface Option {
  readonly value: string;
  /** what else there is to say of it */
  readonly note?: string;
}

/** Options that are shown at once: more are found by typing. */
const mostShown = 50;

/**
 * A text that the reader chooses from a list or types: the combobox of the ARIA patterns. Arrow keys go through the
 * list, Enter takes an entry, Escape closes it.
 */
// eslint-disable-next-line max-lines-per-function -- the markup of one control, from top to bottom
export function Choice({
  id,
  value,
  options,
  placeholder,
  describedBy,
  isWrong,
  onChange,
  onLeave,
}: {
  readonly id: string;
  readonly value: string;
  readonly options: readonly Option[];
  readonly placeholder?: string | undefined;
  readonly describedBy?: string | undefined;
  readonly isWrong?: boolean;
  readonly onChange: (value: string) => void;
  readonly onLeave?: () => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const [isTyped, setTyped] = useState(false);
  const [at, setAt] = useState(-1);
  const list = useId();
  const shown = optionsFor(options, isTyped ? value : '');
  const close = (): void => {
    setOpen(false);
    setTyped(false);
    setAt(-1);
  };
  const take = (option: Option): void => {
    onChange(option.value);
    close();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && isOpen) {
      event.preventDefault();
      close();
    } else if (event.key === 'Enter' && isOpen) {
      const option = shown[at];
      if (option === undefined) return;
      event.preventDefault();
      take(option);
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setOpen(true);
      setAt(isOpen ? (at + step + shown.length) % Math.max(1, shown.length) : 0);
    }
  };
  return (
    <div className="choice">
      <input
        id={id}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={list}
        aria-activedescendant={shown[at] === undefined ? undefined : `${list}-${at}`}
        aria-describedby={describedBy}
        aria-invalid={isWrong === true}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        value={value}
        onClick={() => setOpen(true)}
        onKeyDown={press}
        onChange={({ target }) => {
          onChange(target.value);
          setTyped(true);
          setOpen(true);
          setAt(-1);
        }}
        onBlur={() => {
          close();
          onLeave?.();
        }}
      />
      <Icon name="down" size={16} />
      <ul
        id={list}
        role="listbox"
        className="menu"
        hidden={!isOpen || shown.length === 0}
        aria-label="Choices"
      >
        {shown.map((option, n) => (
          <li
            key={option.value}
            id={`${list}-${n}`}
            role="option"
            aria-selected={n === at}
            // Runs before the field loses the focus, because the list would be gone by then.
            onPointerDown={(event) => {
              event.preventDefault();
              take(option);
            }}
          >
            <bdi>{option.value}</bdi>
            {option.note !== undefined && <span className="sub">{option.note}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function optionsFor(options: readonly Option[], text: string): readonly Option[] {
  const wanted = text.trim().toLowerCase();
  return options
    .filter(({ value, note = '' }) => `${value} ${note}`.toLowerCase().includes(wanted))
    .slice(0, mostShown);
}
