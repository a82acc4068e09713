import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatTick } from '../format/times';

const height = 160;
/** Room for the longest label beside the y axis: 12.3 kdocs/s. */
const labelWidth = 92;
/** Between two moments of the x axis: 23:59:59 */
const leastSpace = 72;

/** One line over time. For screen readers the figures of both ends are said in words. */
export function Plot({
  title,
  times,
  values,
  format,
}: {
  readonly title: string;
  /** epoch seconds, ascending */
  readonly times: readonly number[];
  /** null: unknown */
  readonly values: readonly (number | null)[];
  readonly format: (value: number) => string;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const drawn = useRef<uPlot>(null);
  const formatting = useRef(format);
  formatting.current = format;
  useEffect(() => {
    const { current } = frame;
    if (current === null) return undefined;
    const style = getComputedStyle(current);
    const text = style.getPropertyValue('--text-quiet');
    const axis = {
      stroke: text,
      grid: { stroke: style.getPropertyValue('--line'), width: 1 },
      ticks: { show: false },
    };
    const plot = new uPlot(
      {
        width: current.clientWidth,
        height,
        legend: { show: false },
        cursor: { drag: { x: false, y: false } },
        scales: { x: { time: true }, y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] } },
        axes: [
          {
            ...axis,
            space: leastSpace,
            values: (_, ticks, __, ___, step) => ticks.map((tick) => formatTick(tick * 1000, step * 1000)),
          },
          { ...axis, size: labelWidth, values: (_, ticks) => ticks.map((tick) => formatting.current(tick)) },
        ],
        series: [
          {},
          { stroke: style.getPropertyValue('--accent'), width: 2, points: { show: false }, spanGaps: false },
        ],
      },
      [[], []],
      current,
    );
    drawn.current = plot;
    const watch = new ResizeObserver(() => plot.setSize({ width: current.clientWidth, height }));
    watch.observe(current);
    return () => {
      watch.disconnect();
      plot.destroy();
      drawn.current = null;
    };
  }, []);
  useEffect(() => {
    drawn.current?.setData([[...times], [...values]]);
  }, [times, values]);
  const known = values.filter((value) => value !== null);
  const last = known.at(-1);
  return (
    <figure className="plot">
      <figcaption>
        {title} <strong>{last === undefined ? '—' : format(last)}</strong>
        {known.length > 0 && <span className="sub">most {format(Math.max(...known))}</span>}
      </figcaption>
      <div ref={frame} aria-hidden="true" />
    </figure>
  );
}
