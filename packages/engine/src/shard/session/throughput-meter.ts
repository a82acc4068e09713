import { advanceRate, type CopyRate, type MovingRate, readRate, startRate } from '@aosc/domain';
import type { Clock } from '../../ports/clock';

/** How fast one job copies: documents count once they are in the target. */
export class ThroughputMeter {
  private documents = 0;
  private bytes = 0;
  private moving: MovingRate;

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {
    this.moving = startRate(this.sample());
  }

  add(documents: number, bytes: number): void {
    this.documents += documents;
    this.bytes += bytes;
  }

  /** The moving rate, as of now; undefined: no time has passed yet. */
  read(): CopyRate | undefined {
    this.moving = advanceRate(this.moving, this.sample());
    return readRate(this.moving);
  }

  private sample() {
    return { atMs: this.clock.monotonic(), documents: this.documents, bytes: this.bytes };
  }
}
