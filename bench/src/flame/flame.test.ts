import { readCallTree } from './call-tree';
import { drawFlames } from './draw-flames';

const node = (id: number, functionName: string, children: readonly number[] = [], lineNumber = 6) => ({
  id,
  callFrame: { functionName, url: functionName.startsWith('(') ? '' : 'file:///a/b/c/d.js', lineNumber },
  children,
});
const profile = JSON.stringify({
  nodes: [
    node(1, '(root)', [2, 3, 6]),
    node(2, 'read', [4]),
    // the same function from the same caller, at another place
    node(3, 'read', [5]),
    node(4, 'scan <all>'),
    node(5, 'scan <all>'),
    node(6, '(idle)'),
  ],
  samples: [4, 5, 2, 6, 6],
  timeDeltas: [1000, 2000, 3000, 50_000, 50_000],
});

test('calls of one function by one caller are one, and idle time is none', () => {
  const tree = readCallTree(profile);
  expect(tree).toMatchObject({ name: '(root)', totalMs: 6 });
  expect(tree.children).toHaveLength(1);
  expect(tree.children[0]).toMatchObject({ name: 'read', place: 'b/c/d.js:7', totalMs: 6 });
  expect(tree.children[0]?.children).toMatchObject([{ name: 'scan <all>', totalMs: 3, children: [] }]);
});

test('a call is as wide as its share of the time, and its name can hold anything', () => {
  const svg = drawFlames(readCallTree(profile), 'a test');
  const widths = [...svg.matchAll(/<rect x="[\d.]+" y="\d+" width="([\d.]+)"/g)].map((match) =>
    Number(match[1]),
  );
  expect(widths).toEqual([1167.5, 1167.5, 583.5]);
  expect(svg).toContain('scan &lt;all&gt;');
  expect(svg).toContain('read b/c/d.js:7 6 ms, 100.0 %');
});

test.each([['{}'], ['{"nodes":[]}'], ['{"nodes":[],"timeDeltas":[],"samples":[]}']])(
  '%s is no profile',
  (text) => {
    expect(() => readCallTree(text)).toThrow('profile');
  },
);
