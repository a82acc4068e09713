import type { Paint } from '../output/paint';

/** The place that a status is drawn on. */
export interface Frame {
  readonly width: number;
  /** lines at the most; shards are drawn smaller when they need more */
  readonly height: number;
  readonly paint: Paint;
  readonly nowMillis: number;
}
