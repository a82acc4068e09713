import type { InstallationRecord } from '@aosc/contract';
import { type Call, ClusterError, type Stored } from '@aosc/engine';
import type { MarkContent, RedisMark } from '@aosc/queue';
import { Installation, type InstallationOptions, type Look } from '../installation';

export const call: Call = { signal: new AbortController().signal };

/** A Redis that has only the mark. */
export class RedisSide implements RedisMark {
  content: MarkContent | undefined;
  away = false;

  read(): Promise<MarkContent | undefined> {
    return this.away ? Promise.reject(new Error('Redis is away')) : Promise.resolve(this.content);
  }

  replace(before: string | undefined, names: MarkContent['names'], nowMillis: number): Promise<boolean> {
    if (this.content?.text !== before) return Promise.resolve(false);
    this.content = { names, text: JSON.stringify([names, nowMillis]) };
    return Promise.resolve(true);
  }
}

/** A cluster and its record, one clock for all, and processes that look at them with one Redis or another. */
export class TwoSides {
  clusterUuid = 'c';
  stored: Stored<InstallationRecord> | undefined;
  now = 1_000_000;
  writes = 0;
  readonly redis = new RedisSide();

  startProcess({ claims = true, redis = this.redis }: { claims?: boolean; redis?: RedisSide } = {}) {
    const options: InstallationOptions = {
      cluster: { uuid: () => Promise.resolve(this.clusterUuid) },
      store: {
        readInstallation: () => Promise.resolve(this.stored),
        replaceInstallation: (before, record) => {
          if (before?.seqNo !== this.stored?.seqNo) {
            return Promise.reject(new ClusterError('conflict', 'somebody was faster'));
          }
          this.writes += 1;
          this.stored = { record, seqNo: this.writes, primaryTerm: 1 };
          return Promise.resolve(this.stored);
        },
      },
      mark: redis,
      clock: { now: () => this.now, monotonic: () => this.now },
      claims,
    };
    return new Installation(options);
  }

  /**
   * Every process looks every 5 s.
   * @returns what the last one saw at the end
   */
  async pass(ms: number, processes: readonly Installation[]): Promise<string> {
    const end = this.now + ms;
    let last = '';
    while (this.now < end) {
      this.now += 5000;
      for (const process of processes) last = describeLook(await process.look(call));
    }
    return last;
  }
}

export function describeLook(look: Look): string {
  if (look.type === 'redis_away') return look.type;
  return look.verdict.type === 'refused' ? `refused: ${look.verdict.fault}` : look.verdict.type;
}
