import type { StatusDocument } from '@aosc/testkit';
import { describePhases, type ProgressContext, renderProgress, renderProgressLine } from './progress-view';

export interface ProgressScreen {
  show(status: StatusDocument, context: ProgressContext): void;
}

const plainIntervalMs = 2_000;

/** A terminal is drawn over in place; anything else gets a line when a phase changes, and every two seconds. */
export function createProgressScreen(output: NodeJS.WriteStream): ProgressScreen {
  return output.isTTY ? createLiveScreen(output) : createPlainScreen(output);
}

function createLiveScreen(output: NodeJS.WriteStream): ProgressScreen {
  let drawn = 0;
  return {
    show: (status, context) => {
      const width = Math.max(20, output.columns - 1);
      const lines = renderProgress(status, context).map((line) => line.slice(0, width));
      const up = drawn === 0 ? '' : `\u001b[${drawn}A`;
      // each line clears the rest of its row, and the rest of the screen goes with the last one
      output.write(`${up}${lines.map((line) => `\u001b[2K${line}\n`).join('')}\u001b[J`);
      drawn = lines.length;
    },
  };
}

function createPlainScreen(output: NodeJS.WriteStream): ProgressScreen {
  let lastPhases = '';
  let lastMillis = 0;
  return {
    show: (status, context) => {
      const phases = describePhases(status);
      if (phases === lastPhases && context.nowMillis - lastMillis < plainIntervalMs) return;
      lastPhases = phases;
      lastMillis = context.nowMillis;
      output.write(`${renderProgressLine(status, context)}\n`);
    },
  };
}
