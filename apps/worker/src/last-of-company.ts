interface Company {
  /** still on their way */
  readonly underWay: Set<object>;
  /** a companion has arrived, and the scheduler has not heard of it yet */
  isArrival: boolean;
}

/**
 * Jobs of one name that are under way in this process at the same time: only the last one reports to the scheduler.
 * With a report at each arrival, the scheduler would read 32 records 32 times under the write block, only to find that
 * one is missing.
 */
export class LastOfCompany {
  private readonly companies = new Map<string, Company>();

  /** @param tell called if this is the last; must not throw, and returns whether the message got through */
  join(name: string, tell: () => Promise<boolean>) {
    const company = this.companies.get(name) ?? { underWay: new Set(), isArrival: false };
    this.companies.set(name, company);
    const companion = {};
    company.underWay.add(companion);
    const goneFrom = async (): Promise<boolean> => {
      company.underWay.delete(companion);
      if (company.underWay.size > 0) return true;
      if (this.companies.get(name) === company) this.companies.delete(name);
      if (!company.isArrival) return true;
      company.isArrival = false;
      return tell();
    };
    return {
      /**
       * Resolves when the scheduler has heard of the company, if this was the last companion to arrive.
       * @returns whether it has heard, or will from the last companion; false: this was the last one, and its message
       *   did not get through
       */
      arrive: async (): Promise<boolean> => {
        company.isArrival = true;
        return goneFrom();
      },
      /**
       * Takes a companion out that ends on the way, so that the others need not wait for it. Changes nothing for a
       * companion that has arrived.
       */
      leave: async (): Promise<void> => {
        if (company.underWay.has(companion)) await goneFrom();
      },
    };
  }
}
