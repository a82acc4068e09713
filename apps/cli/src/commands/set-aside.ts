import type { SetAside } from '@aosc/client';
import { group, plain } from '../output/text';
import type { Action } from '../session';

/** `aosc set-aside <index>`: shows what the target refuses, or has it written again. */
export const setAsideAction: Action = async (session, [index = '']) => {
  const { signal } = session.shell;
  if (session.flags.isOn('retry') && !session.isDryRun) {
    const answer = await session.send((client) => client.retrySetAside(index, { signal }));
    if (answer !== undefined) session.print(answer, () => [`${documents(answer.documents)} written again`]);
    return 'done';
  }
  const found = await session.send((client) => client.setAside(index, { signal }));
  if (found !== undefined) session.print(found, () => renderSetAside(found));
  return 'done';
};

const documents = (count: number): string =>
  count === 1 ? '1 document is' : `${group(count)} documents are`;

/** As people read it. */
function renderSetAside({ count, digest, reasons, accepted }: SetAside): readonly string[] {
  if (count === 0) return ['no document is set aside'];
  return [
    `${documents(count)} set aside`,
    ...reasons.flatMap(({ type, reason, count: of, sample_ids: ids }) => [
      `${group(of)}  ${plain(type)}: ${plain(reason)}`,
      `  ${ids.map(plain).join(', ')}${of > ids.length ? ', …' : ''}`,
    ]),
    `digest ${digest}${accepted?.digest === digest ? ', accepted' : ''}`,
  ];
}
