/** Of the turns that timely and late work both wait for, the late one gets each fourth: it gets on, if slowly. */
const turnsForOneLate = 4;

/** @returns gives the one that has the next turn: the only one when one waits, undefined when none does */
export function createLateShare(): <T>(inTime: T | undefined, late: T | undefined) => T | undefined {
  let contested = 0;
  return (inTime, late) => {
    if (inTime === undefined || late === undefined) return inTime ?? late;
    contested += 1;
    return contested % turnsForOneLate === 0 ? late : inTime;
  };
}
