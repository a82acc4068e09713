import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { resultFile, writeResult } from '../result-files';
import { drawPlots } from './plots';
import { createSuiteReport } from './report';
import type { SuiteResult } from './results';

const suffix = '-suite';

/** Writes figures, plots and the page that shows them side by side. @returns the path of the page */
export function writeSuite(result: SuiteResult): string {
  writeResult(result, suffix);
  const pictures = drawPlots(result.cases).map(({ name, caption, svg }) => {
    const path = resultFile(result, `${suffix}-${name}`, 'svg');
    writeFileSync(path, svg);
    return { file: basename(path), caption };
  });
  const page = resultFile(result, suffix, 'md');
  writeFileSync(page, createSuiteReport(result, pictures));
  return page;
}
