import { findFlaws } from './find-flaws';

const flawsOf = (files: Readonly<Record<string, string>>) => findFlaws(new Map(Object.entries(files)));

test.each([
  ['a script', { 'a.html': '<script defer src="https://cdn.example/x.js"></script>' }],
  ['a script without scheme', { 'a.html': '<script src="//cdn.example/x.js"></script>' }],
  ['a style sheet', { 'a.html': '<link rel="stylesheet" href="https://cdn.example/x.css">' }],
  ['a font', { 'a.css': '@font-face { src: url("https://cdn.example/x.woff2"); }' }],
  ['an imported style sheet', { 'a.css': '@import "https://cdn.example/x.css";' }],
])('%s of another host is reported', (_, files) => {
  expect(flawsOf(files)).toEqual([expect.stringContaining('cdn.example')]);
});

test('links to other sites, by mail and inside the site are fine', () => {
  const page =
    '<h1 id="x">x</h1><a href="https://a.example">a</a><a href="mailto:a@a.example">m</a><a href="#x">x</a>';
  expect(flawsOf({ 'a.html': page, 'b/c.html': '<a class="d" href="../a.html#x">a</a>' })).toEqual([]);
});

test('a folder is no page: without a server a browser does not find its index', () => {
  expect(flawsOf({ 'index.html': '', 'b.html': '<a href="./">a</a>' })).toHaveLength(1);
});
