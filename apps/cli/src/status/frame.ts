import type { Paint } from '../output/paint';

/** The place where a status is drawn. */
export interface Frame {
  readonly width: number;
  /** lines at most; shards are drawn smaller when they need more */
  readonly height: number;
  readonly paint: Paint;
  readonly nowMillis: number;
}
