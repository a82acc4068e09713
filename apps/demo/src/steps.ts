import { type OnProgress, type StepProgress } from '@aosc/local-stack';
import { renderBar, renderStep } from './step-view';

/** The demo as a sequence of steps: announces each, shows its progress, and how long it took. */
export interface Steps {
  /** Ends the step before. @param name short, for the table at the end */
  begin(name: string, line: string): void;
  /** A line of the step that runs. */
  readonly say: (line: string) => void;
  /** Draws a bar on a terminal; on a pipe it is a line now and then. */
  readonly progress: OnProgress;
  /** Takes the bar away, for something else to draw. */
  clear(): void;
  /** Ends the last step. @returns the time of each, in order */
  finish(): readonly StepTime[];
}

export interface StepTime {
  readonly name: string;
  readonly millis: number;
}

const redrawMs = 500;
const plainIntervalMs = 5_000;

/** @param now for durations, in ms */
export function createSteps(
  output: Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>,
  now: () => number = () => performance.now(),
): Steps {
  const times: StepTime[] = [];
  let current: { readonly name: string; readonly since: number } | undefined;
  let shown: { readonly progress: StepProgress; readonly since: number } | undefined;
  let lastLine = 0;
  let timer: NodeJS.Timeout | undefined;

  const draw = () => {
    if (shown === undefined) return;
    const line = renderBar(shown.progress, now() - shown.since, output.isTTY);
    if (output.isTTY) {
      output.write(`\r\u001b[2K${line.slice(0, Math.max(20, output.columns - 1))}`);
    } else if (now() - lastLine >= plainIntervalMs) {
      lastLine = now();
      output.write(`${line}\n`);
    }
  };
  const clear = () => {
    clearInterval(timer);
    timer = undefined;
    if (shown !== undefined && output.isTTY) output.write('\r\u001b[2K');
    shown = undefined;
  };
  const say = (line: string) => {
    clear();
    output.write(`${line}\n`);
    lastLine = now();
  };
  const end = () => {
    clear();
    if (current !== undefined) times.push({ name: current.name, millis: now() - current.since });
    current = undefined;
  };
  return {
    begin(name, line) {
      end();
      current = { name, since: now() };
      say(line);
    },
    say,
    progress(progress) {
      const since = shown?.progress.what === progress.what ? shown.since : now();
      shown = { progress, since };
      timer ??= setInterval(draw, redrawMs).unref();
      draw();
    },
    clear,
    finish() {
      end();
      return times;
    },
  };
}

/** The row of the table at the end. */
export function describeTimes(times: readonly StepTime[]): string {
  const total = times.reduce((sum, { millis }) => sum + millis, 0);
  const each = times.map(({ name, millis }) => `${name} ${renderStep(millis)}`);
  return `${renderStep(total)} s: ${each.join(', ')}`;
}
