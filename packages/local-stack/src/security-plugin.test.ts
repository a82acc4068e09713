import { makeModulesOptional } from './security-plugin';

test('what a plugin extends may be missing', () => {
  const descriptor = 'name=a\nextended.plugins=one;optional=true,two, three\njava.version=21\n';
  expect(makeModulesOptional(descriptor)).toBe(
    'name=a\nextended.plugins=one;optional=true,two;optional=true,three;optional=true\njava.version=21\n',
  );
});

test.each(['extended.plugins=\n', 'name=a\n'])('%j stays as it is', (descriptor) => {
  expect(makeModulesOptional(descriptor)).toBe(descriptor);
});
