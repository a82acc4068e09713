import type { TargetCreation } from '@aosc/client';
import { isMadeOfFiles, type StartForm } from './form-state';

/** What will happen, in order. @param aliases of the source */
export function stepsOfStart(
  form: StartForm,
  target: TargetCreation | undefined,
  aliases: readonly string[],
): readonly string[] {
  const [source, name] = [form.source.trim(), form.target.trim()];
  const isOfFiles = isMadeOfFiles(form);
  const documents = isOfFiles ? 'Documents that change since' : 'Documents';
  return [
    ...(form.makesTarget ? [`${name} is made${describeTarget(source, target)}.`] : []),
    ...(isOfFiles ? [`It gets the files of ${source}: writes are refused for some tenths of a second.`] : []),
    `${form.script.trim() === '' ? documents : 'Documents, changed by your script,'} are copied from ${source} to ${name} while applications go on writing.`,
    ...(form.options.get('rehearse') === 'true'
      ? ['Every document is verified. Then the rehearsal ends: no write is refused, and no alias moves.']
      : stepsOfCutover(form, aliases)),
  ];
}

function stepsOfCutover(form: StartForm, aliases: readonly string[]): readonly string[] {
  const [source, name, alias] = [form.source.trim(), form.target.trim(), form.alias.trim()];
  const left = aliases.filter((each) => each !== alias);
  const keepsBlock = form.options.get('remove_source_write_block_on_success') !== 'true';
  return [
    'Writes wait or are refused for a moment, mostly about a second: applications have to send refused ones again.',
    form.createsAlias
      ? `The alias ${alias} is created on ${name}.`
      : `The alias ${alias} moves from ${source} to ${name}.`,
    keepsBlock
      ? `${source} keeps its documents and takes no writes any more.`
      : `${source} keeps its documents, and takes writes again.`,
    ...(left.length > 0 ? [`${left.join(', ')} ${left.length === 1 ? 'stays' : 'stay'} on ${source}.`] : []),
  ];
}

function describeTarget(source: string, target: TargetCreation | undefined): string {
  if (target === undefined) return ` from ${source}`;
  const { settings } = target.definition;
  const shards = settings['index.number_of_shards'];
  const size = typeof shards === 'string' || typeof shards === 'number' ? `, with ${shards} shards` : '';
  const count = target.changes.length;
  const differences = count === 0 ? '' : ` (${count} ${count === 1 ? 'difference' : 'differences'})`;
  return ` like ${source}${size}${differences}`;
}
