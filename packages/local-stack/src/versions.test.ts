import { javaRangeFor, parseJavaMajor } from './versions';

test.each([
  ['JAVA_RUNTIME_VERSION="25.0.3+9"\nJAVA_VERSION="25.0.3"\n', 25],
  ['IMPLEMENTOR="Debian"\nJAVA_VERSION="17.0.15"\n', 17],
  ['JAVA_VERSION="21"', 21],
  ['JAVA_VERSION="1.8.0_392"', 8],
  ['openjdk version "21.0.2" 2024-01-16\nOpenJDK Runtime Environment', 21],
  ['openjdk version "26-ea" 2026-03-17', 26],
])('the major version of Java in %j', (text, major) => {
  expect(parseJavaMajor(text)).toBe(major);
});

test('a text without a version has no major version', () => {
  expect(parseJavaMajor('Unable to locate a Java Runtime.')).toBeUndefined();
});

test('OpenSearch 3.x takes Java 21 and later, 2.x stops before the Java that has no security manager', () => {
  expect(javaRangeFor('3.7.0')).toEqual({ min: 21, max: Number.POSITIVE_INFINITY });
  expect(javaRangeFor('2.19.5')).toEqual({ min: 17, max: 21 });
});

test.each(['1.3.0', '3.7', 'latest', '3.7.0-SNAPSHOT'])('%s is refused', (version) => {
  expect(() => javaRangeFor(version)).toThrow(`OpenSearch ${version} cannot be started here`);
});
