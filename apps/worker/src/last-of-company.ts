interface Company {
  /** not there yet */
  readonly underWay: Set<object>;
  /** somebody has got there, and nobody was told */
  isArrival: boolean;
}

/** One of those who are under way together. */
export interface Companion {
  /**
   * Resolves when whoever waits for the company has been told, if this was the last to get there.
   * @returns whether they have been, or are going to be by the last; false: it was this one's turn, and it did not get through
   */
  arrive(): Promise<boolean>;
  /** One that ends on the way holds nobody up. Changes nothing for one that has arrived. */
  leave(): Promise<void>;
}

/**
 * Those of one name that are under way in this process at the same time: whoever waits for all of them is told once, by the
 * last. Told at each arrival, the scheduler would read 32 records 32 times under the write block, to find that one is missing.
 */
export class LastOfCompany {
  private readonly companies = new Map<string, Company>();

  /** @param tell called if this is the last; must not throw, and says whether it got through */
  join(name: string, tell: () => Promise<boolean>): Companion {
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
      arrive: async () => {
        company.isArrival = true;
        return goneFrom();
      },
      leave: async () => {
        if (company.underWay.has(companion)) await goneFrom();
      },
    };
  }
}
