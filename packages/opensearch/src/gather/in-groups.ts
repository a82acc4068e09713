import { noAnswer } from './gather';

/** At least one. */
export type Group<Q> = readonly [Q, ...Q[]];

/**
 * Answers questions group by group: questions that can't share a request go in several, side by side.
 * @param keyOf the same for those that can share one
 * @param answer returns one answer for each question of the group, in their order
 * @returns the answers in the order of all questions
 */
export function answerInGroups<Q extends object, A>(
  questions: readonly Q[],
  keyOf: (question: Q) => string,
  answer: (group: Group<Q>) => readonly Promise<A>[],
): readonly Promise<A>[] {
  const groups = new Map<string, [Q, ...Q[]]>();
  for (const question of questions) {
    const key = keyOf(question);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [question]);
    else group.push(question);
  }
  const answers = new Map<Q, Promise<A>>();
  for (const group of groups.values()) {
    for (const [at, each] of answer(group).entries()) {
      const question = group[at];
      if (question !== undefined) answers.set(question, each);
    }
  }
  return questions.map((question) => answers.get(question) ?? noAnswer());
}
