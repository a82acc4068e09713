import type { UseMutationResult } from '@tanstack/react-query';
import { curlCommand, setCommand } from '../../explain/commands';
import type { SettingDiff } from '../../explain/profiles';
import { settingTitle } from '../../explain/setting-names';
import { Dialog } from '../../ui/dialog';
import { ActionButton, Copyable, ErrorNote, Fold } from '../../ui/parts';

/** Shows what would change before it does. */
export function ChangesDialog({
  diff,
  apply,
  isOpen,
  onClose,
}: {
  readonly diff: readonly SettingDiff[];
  readonly apply: Pick<
    UseMutationResult<unknown, Error, readonly SettingDiff[]>,
    'mutate' | 'error' | 'isPending'
  >;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}) {
  const wanted = diff.map(({ name, to }) => [name, to === '' ? null : to] as const);
  return (
    <Dialog title="Apply these settings?" isOpen={isOpen} onClose={onClose}>
      <ul className="diff">
        {diff.map(({ name, from, to, isHidden }) => (
          <li key={name}>
            {settingTitle(name) ?? name}: <del>{from === '' ? 'nothing' : from}</del> →{' '}
            <ins>{to === '' ? 'its default' : to}</ins>
            <code className="sub">{name}</code>
            {isHidden && (
              <p className="wrong">
                It stays {from}, a transient value wins:{' '}
                <code>aosc settings set --transient {name}=null</code> removes it.
              </p>
            )}
          </li>
        ))}
      </ul>
      <p>Running migrations follow them at once.</p>
      {apply.error !== null && <ErrorNote error={apply.error} title="Nothing was changed" />}
      <div className="buttons">
        <ActionButton onPress={onClose}>Back</ActionButton>
        <ActionButton kind="main" isBusy={apply.isPending} onPress={() => apply.mutate(diff)}>
          Apply
        </ActionButton>
      </div>
      <Fold title="The same as a command">
        <Copyable
          label="curl"
          text={curlCommand(location.origin, 'PUT', '/_cluster/settings', {
            persistent: Object.fromEntries(wanted),
          })}
        />
        <Copyable label="aosc" text={setCommand(location.origin, wanted)} />
      </Fold>
    </Dialog>
  );
}
