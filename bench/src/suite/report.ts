import { describeLoad, group } from '../report';
import type { Machine } from '../results';
import { reportApplications, reportCopy, reportSustained, summarizeSustained } from './case-reports';
import { createTable, showPercent, showRatio, showSpread } from './figures';
import type { CaseName } from './options';
import type { CaseResult, SuiteResult } from './results';

const GB = 2 ** 30;
/** Of each CPU: beyond it the machine had other work, and no figure is one of a quiet machine. */
const quietLoad = 0.25;

const titles: Readonly<Record<CaseName, string>> = {
  orders: 'Orders: small documents',
  cities: 'Cities: real data, to a number of shards that is no multiple',
  large: 'Large: documents of 100 KB',
  transform: 'Transform: every document changes on its way',
  updated: 'Updated: documents with a past',
  files: "Files: AOSC makes its target of the source's files",
  elasticdump: 'elasticdump: a tool outside of the cluster',
  sustained: 'Sustained: how much the applications may write',
  applications: 'Applications: what is left for their searches and writes',
};

/** A picture beside the report. */
export interface Picture {
  readonly file: string;
  readonly caption: string;
}

/** The whole suite as a Markdown page. @param pictures names of files in the same folder */
export function createSuiteReport(result: SuiteResult, pictures: readonly Picture[]): string {
  const lines = [
    '# Benchmark suite',
    '',
    ...describeCircumstances(result),
    '',
    ...createOverview(result.cases),
    ...pictures.flatMap(({ file, caption }) => ['', `![${caption}](${file})`]),
    ...result.cases.flatMap((one) => ['', `## ${titles[one.name]}`, '', ...reportCase(one)]),
  ];
  return `${lines.join('\n')}\n`;
}

/** The same in a few lines, for the terminal. */
export function createSuiteSummary({ short, machine, cases }: SuiteResult): readonly string[] {
  return [
    ...(short ? ['Short form: no figures to quote'] : []),
    ...cases.map((one) => `${one.name}: ${summarizeCase(one)}`),
    describeLoad(machine),
  ];
}

function describeCircumstances({
  date,
  commit,
  machine,
  short,
  rounds,
  documents,
}: SuiteResult): readonly string[] {
  return [
    `Commit ${commit}, ${date}. ${describeMachine(machine)}`,
    ...(short
      ? [
          '',
          '**Short form: small numbers of documents. It shows that everything runs; its figures are none to quote.**',
        ]
      : []),
    ...(documents === undefined
      ? []
      : ['', `**Each case had ${group(documents)} documents instead of its own number.**`]),
    ...(machine.loadBefore > machine.cpus * quietLoad
      ? ['', '**The machine had other work before the first run: ratios are doubtful, and speeds more so.**']
      : []),
    '',
    `Medians of ${rounds} round(s), with the least and the most where there are several. In each round every contestant ` +
      'makes one run, and each round begins with another one. A warm-up comes first and is not counted.',
  ];
}

function describeMachine({ cpus, cpuModel, memoryBytes, node, openSearch, loadBefore }: Machine): string {
  return (
    `${cpus} CPUs (${cpuModel}), ${(memoryBytes / GB).toFixed(1)} GB, Node ${node}, OpenSearch ${openSearch}. One node with ` +
    `2 GB of heap, Redis, API, scheduler and worker share the machine. Load ${loadBefore.toFixed(1)} before the first run.`
  );
}

function createOverview(cases: readonly CaseResult[]): readonly string[] {
  const rows = cases.map((one) => [one.name, summarizeCase(one)]);
  return createTable([['case', 'result'], ...rows], 'left');
}

function summarizeCase(one: CaseResult): string {
  switch (one.kind) {
    case 'copy': {
      const own = one.summary.contestants.find(({ contestant }) => contestant === 'AOSC');
      if (own === undefined) return 'no figures of AOSC';
      return (
        `AOSC / ${one.summary.bestReindex}: copy ${showSpread(own.copyRatio, showRatio)}, end to end ` +
        `${showSpread(own.endToEndRatio, showRatio)}, cluster CPU ${showSpread(own.clusterCpuRatio, showRatio)}`
      );
    }
    case 'sustained':
      return summarizeSustained(one);
    case 'applications': {
      const { searches, writes } = one;
      const of = (name: 'low_impact' | 'high_throughput'): string =>
        `p95 of searches ${showRatio(searches.summary[name].p95Ratio)}, ${showSpread(writes.summary[name].share, showPercent)} of the writes`;
      return `low-impact: ${of('low_impact')}; high-throughput: ${of('high_throughput')}`;
    }
    case 'not_run':
      return `not run: ${one.reason}`;
    case 'failed':
      return `failed: ${one.reason}`;
  }
}

function reportCase(one: CaseResult): readonly string[] {
  switch (one.kind) {
    case 'copy':
      return reportCopy(one);
    case 'sustained':
      return reportSustained(one);
    case 'applications':
      return reportApplications(one);
    case 'not_run':
    case 'failed':
      return [summarizeCase(one)];
  }
}
