import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawAll, plotFolder } from './plots';

test('the plots in docs/concepts/flow-control show what the controllers do now: npm run plots', () => {
  const plots = drawAll();
  expect(readdirSync(plotFolder).sort()).toEqual(plots.map(({ name }) => name).sort());
  const stale = plots.filter(({ name, svg }) => readFileSync(join(plotFolder, name), 'utf8') !== svg);
  expect(stale.map(({ name }) => name)).toEqual([]);
});

test('each is shown in docs/concepts/flow-control.md', () => {
  const page = readFileSync(`${plotFolder}.md`, 'utf8');
  for (const name of readdirSync(plotFolder)) expect(page).toContain(`](flow-control/${name})`);
});
