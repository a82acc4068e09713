import { answerInGroups } from './in-groups';

const question = (index: string, of: number) => ({ index, of });

test('each group is answered by itself, and each question gets its own answer', async () => {
  const asked: string[] = [];
  const questions = [question('a', 1), question('b', 2), question('a', 3)];
  const answers = answerInGroups(
    questions,
    ({ index }) => index,
    (group) => {
      asked.push(group.map(({ of }) => of).join(' '));
      return group.map(({ index, of }) => Promise.resolve(`${index}${of}`));
    },
  );
  expect(await Promise.all(answers)).toEqual(['a1', 'b2', 'a3']);
  expect(asked).toEqual(['1 3', '2']);
});

test('the failure of a group is its own', async () => {
  const answers = answerInGroups(
    [question('a', 1), question('b', 2)],
    ({ index }) => index,
    ([{ index }]) => [index === 'a' ? Promise.reject(new Error('gone')) : Promise.resolve(index)],
  );
  expect(await Promise.allSettled(answers)).toMatchObject([{ status: 'rejected' }, { value: 'b' }]);
});

test('a question that a group leaves out has no answer', async () => {
  const answers = answerInGroups(
    [question('a', 1), question('a', 2)],
    ({ index }) => index,
    () => [Promise.resolve('one')],
  );
  expect(await Promise.allSettled(answers)).toMatchObject([{ value: 'one' }, { status: 'rejected' }]);
});
