import { createCreations } from './creations';

test('a credential creates twenty targets an hour, and another one its own', () => {
  let millis = 0;
  const creations = createCreations(() => millis);
  for (let n = 0; n < 20; n++) creations.take('a');
  expect(() => creations.take('a')).toThrow('may be created in 180 s');
  creations.take('b');
  millis += 180_000;
  creations.take('a');
  expect(() => creations.take('a')).toThrow('20 targets within an hour');
});
