import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { Icon } from './icon';

/** A button that shows the present choice, and all choices when it is pressed. */
export function Menu<T extends string>({
  label,
  value,
  choices,
  nameOf,
  face,
  onChoose,
}: {
  readonly label: string;
  readonly value: T;
  readonly choices: readonly T[];
  readonly nameOf: (choice: T) => string;
  /** what the button shows; default: the name of the present choice */
  readonly face?: ReactNode;
  readonly onChoose: (choice: T) => void;
}) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        className={face === undefined ? undefined : 'button-bare'}
        aria-label={`${label}: ${nameOf(value)}`}
        title={label}
      >
        {face ?? nameOf(value)}
        {face === undefined && <Icon name="down" size={16} />}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end" sideOffset={4} collisionPadding={8}>
          <DropdownMenu.RadioGroup value={value}>
            {choices.map((choice) => (
              <DropdownMenu.RadioItem key={choice} value={choice} onSelect={() => onChoose(choice)}>
                <Icon name="check" size={16} /> {nameOf(choice)}
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
