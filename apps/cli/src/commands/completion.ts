import { describeTree } from '../completion/describe-tree';
import { writeBash } from '../completion/bash';
import { writeFish } from '../completion/fish';
import { writeZsh } from '../completion/zsh';
import type { Action } from '../session';

/** `aosc completion <shell>` */
export const completionAction: Action = (session, [shell]) => {
  const tree = describeTree(session.program());
  const write = shell === 'fish' ? writeFish : shell === 'zsh' ? writeZsh : writeBash;
  session.shell.out.write(write(tree));
  return Promise.resolve('done');
};
