import { emptyForm } from './form-state';
import { stepsOfStart } from './steps-of-start';

const form = { ...emptyForm, source: 'books-1', target: 'books-2', alias: 'books' };
const steps = (parts: Partial<typeof emptyForm>) => stepsOfStart({ ...form, ...parts }).join('\n');

test('the question says what becomes of the alias and of writes', () => {
  expect(steps({})).toContain('The alias books moves from books-1 to books-2.');
  expect(steps({ createsAlias: true })).toContain('The alias books is created on books-2.');
  expect(steps({})).toContain('takes no writes any more');
  const options = new Map([['remove_source_write_block_on_success', 'true']]);
  expect(steps({ options })).toContain('takes writes again');
});

test('a rehearsal moves no alias; files are copied first', () => {
  const rehearsed = steps({ options: new Map([['rehearse', 'true']]) });
  expect(rehearsed).toContain('no alias moves');
  expect(rehearsed).not.toContain('The alias');
  expect(steps({ byFiles: true })).toContain('books-2 is made of the files of books-1');
});
