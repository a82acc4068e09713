import { isMadeOfFiles, type StartForm } from './form-state';

/** What a start does, in order, as the question before it says it. */
export function stepsOfStart(form: StartForm): readonly string[] {
  const [source, name] = [form.source.trim(), form.target.trim()];
  const isOfFiles = isMadeOfFiles(form);
  const documents = isOfFiles ? 'Documents that change since' : 'Documents';
  return [
    ...(isOfFiles
      ? [`${name} is made of the files of ${source}: writes are refused for some tenths of a second.`]
      : []),
    `${form.script.trim() === '' ? documents : 'Documents, changed by your script,'} are copied from ${source} to ${name} while applications go on writing.`,
    ...(form.options.get('rehearse') === 'true'
      ? ['Every document is verified. Then the rehearsal ends: no write is refused, and no alias moves.']
      : stepsOfCutover(form)),
  ];
}

function stepsOfCutover(form: StartForm): readonly string[] {
  const [source, name, alias] = [form.source.trim(), form.target.trim(), form.alias.trim()];
  const keepsBlock = form.options.get('remove_source_write_block_on_success') !== 'true';
  return [
    'Writes wait or are refused for a moment, mostly about a second: applications have to send refused ones again.',
    form.createsAlias
      ? `The alias ${alias} is created on ${name}.`
      : `The alias ${alias} moves from ${source} to ${name}.`,
    keepsBlock
      ? `${source} keeps its documents and takes no writes any more.`
      : `${source} keeps its documents, and takes writes again.`,
  ];
}
