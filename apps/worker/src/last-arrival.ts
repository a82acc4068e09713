interface Group {
  /** still on their way */
  readonly underWay: Set<object>;
  /** a member has arrived, and the scheduler has not heard of it yet */
  isArrival: boolean;
}

/**
 * Jobs of one name that are under way in this process at the same time: only the last one reports to the scheduler.
 * With a report at each arrival, the scheduler would read 32 records 32 times under the write block, only to find that
 * one is missing.
 */
export class LastArrival {
  private readonly groups = new Map<string, Group>();

  /** @param report called if this is the last; must not throw, and returns whether the message got through */
  join(name: string, report: () => Promise<boolean>) {
    const group = this.groups.get(name) ?? { underWay: new Set(), isArrival: false };
    this.groups.set(name, group);
    const member = {};
    group.underWay.add(member);
    const goneFrom = async (): Promise<boolean> => {
      group.underWay.delete(member);
      if (group.underWay.size > 0) return true;
      if (this.groups.get(name) === group) this.groups.delete(name);
      if (!group.isArrival) return true;
      group.isArrival = false;
      return report();
    };
    return {
      /**
       * Resolves when the scheduler has heard of the group, if this was the last member to arrive.
       * @returns whether it has heard, or will from the last member; false: this was the last one, and its message
       *   did not get through
       */
      arrive: async (): Promise<boolean> => {
        group.isArrival = true;
        return goneFrom();
      },
      /**
       * Takes a member out that ends on the way, so that the others need not wait for it. Changes nothing for a
       * member that has arrived.
       */
      leave: async (): Promise<void> => {
        if (group.underWay.has(member)) await goneFrom();
      },
    };
  }
}
