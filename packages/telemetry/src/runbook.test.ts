import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorRegistry, type Wait } from '@aosc/contract';
import { readSources, root, type Source } from './__tests__/catalogue/sources';
import { readAlerts } from './__tests__/monitoring/alerts';
import { findFailureTexts, findTexts } from './__tests__/monitoring/failure-texts';

const page = readFileSync(join(root, 'docs/operations/runbook.md'), 'utf8');

/** What is under a heading, up to the next one of its level. */
function sectionOf(heading: string): string {
  const [, ...rest] = page.split(`\n${heading}\n`);
  const [section = ''] = rest.join('').split(heading.startsWith('### ') ? /\n#{2,3} / : /\n## /);
  return section;
}

/** Quotations at the beginning of the entries of a section. */
const quotedIn = (section: string): readonly string[] =>
  [...section.matchAll(/^- ((?:`[^`]+`(?:, )?)+):/gm)].flatMap(([, list = '']) =>
    [...list.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text),
  );

/** A reason that is new in the contract makes this refuse to compile. */
const waits: Readonly<Record<Wait['reason'], true>> = {
  worker: true,
  permit: true,
  target: true,
  gap: true,
  cluster: true,
  refused: true,
};

const sections = /^### (\w+)$/gm;

let sources: readonly Source[] = [];
beforeAll(() => {
  sources = readSources();
}, 60_000);

test.each(readAlerts())('$alert has a section that says what it means and what to do', ({ alert }) => {
  const section = sectionOf(`### ${alert}`);
  expect(section).toMatch(/\*\*Means:\*\*|was logged within the hour/);
  expect(section).toMatch(/\*\*Do:\*\*|Set it by hand/);
});

test('no section is about an alert that is gone', () => {
  const named = [...sectionOf('## Alerts').matchAll(sections)].map(([, name = '']) => name);
  expect(named.toSorted()).toEqual(
    readAlerts()
      .map(({ alert }) => alert)
      .toSorted(),
  );
});

test('AoscTroubleLogged explains each of its events, and no other', () => {
  const { expr = '' } = readAlerts().find(({ alert }) => alert === 'AoscTroubleLogged') ?? {};
  const [, events = ''] = /event=~"([^"]+)"/.exec(expr) ?? [];
  expect(quotedIn(sectionOf('### AoscTroubleLogged')).toSorted()).toEqual(events.split('|').toSorted());
});

test.each(Object.keys(waits))('a migration that waits for %s has a section', (reason) => {
  expect(sectionOf(`### Waits for ${reason}`)).toContain('**Do:**');
});

test('each type of error that the API answers with is explained, and no other', () => {
  const types = new Set(Object.values(errorRegistry).map(({ type }) => type));
  expect(new Set(quotedIn(sectionOf('## What the API answers')))).toEqual(types);
});

test('each reason to fail that is quoted can be met', () => {
  const quoted = quotedIn(sectionOf('## Why a migration failed'));
  const texts = findTexts(sources);
  expect(quoted.length).toBeGreaterThan(20);
  expect(quoted.filter((part) => !texts.some((text) => text.includes(part)))).toEqual([]);
});

test('each text that ends a shard or a migration is explained', () => {
  const quoted = quotedIn(sectionOf('## Why a migration failed'));
  const texts = findFailureTexts(sources);
  expect(texts.length).toBeGreaterThan(15);
  expect(texts.filter((text) => !quoted.some((part) => text.includes(part)))).toEqual([]);
});

test('what a process says that does not start is said', () => {
  const quoted = quotedIn(sectionOf('## A process does not start')).filter((part) => part !== 'EADDRINUSE');
  const texts = findTexts(sources);
  expect(quoted.filter((part) => !texts.some((text) => text.includes(part)))).toEqual([]);
});
