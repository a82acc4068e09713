import type { Plan, StartRequest } from '@aosc/client';
import { createTargetCommand, curlCommand, startCommand } from '../../explain/commands';
import { Dialog } from '../../ui/dialog';
import { ActionButton, Copyable, Fold } from '../../ui/parts';
import { isMadeOfFiles, type StartForm, targetRequestOf } from './form-state';
import { Checks } from './plan-result';
import { stepsOfStart } from './steps-of-start';

/** Asks once before a start: what will happen, and what the plan warns of. */
export function Question({
  form,
  request,
  warnings,
  isOpen,
  isBusy,
  onClose,
  onStart,
}: {
  readonly form: StartForm;
  readonly request: StartRequest;
  readonly warnings: Plan['checks'];
  readonly isOpen: boolean;
  readonly isBusy: boolean;
  readonly onClose: () => void;
  readonly onStart: (request: StartRequest) => void;
}) {
  return (
    <Dialog title={`Start the migration of ${form.source.trim()}?`} isOpen={isOpen} onClose={onClose}>
      <ol className="stack-small">
        {stepsOfStart(form).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ol>
      <Checks checks={warnings} title="To know before" />
      <div className="buttons">
        <ActionButton onPress={onClose}>Back</ActionButton>
        <ActionButton kind="main" isBusy={isBusy} onPress={() => onStart(request)}>
          Start the migration
        </ActionButton>
      </div>
      <Fold title="The same as commands">
        <Commands form={form} request={request} />
      </Fold>
    </Dialog>
  );
}

function Commands({ form, request }: { readonly form: StartForm; readonly request: StartRequest }) {
  const source = form.source.trim();
  const path = (action: string) => `/_plugins/_aosc/${encodeURIComponent(source)}/${action}`;
  const target = targetRequestOf(form);
  return (
    <>
      {form.makesTarget && !isMadeOfFiles(form) && (
        <>
          <Copyable
            label="curl, the target"
            text={curlCommand(location.origin, 'POST', path('_create_target?dry_run=false'), target)}
          />
          <Copyable label="aosc, the target" text={createTargetCommand(location.origin, source, target)} />
        </>
      )}
      <Copyable
        label="curl, the start"
        text={curlCommand(location.origin, 'POST', path('_start'), request)}
      />
      <Copyable label="aosc, the start" text={startCommand(location.origin, source, request)} />
    </>
  );
}
