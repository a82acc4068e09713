const wantedTicks = 4;

/** Round values from 0 to the first one that is not below `max`. @param max if it is not above 0, 1 is taken */
export function ticksUpTo(max: number): readonly number[] {
  const top = max > 0 ? max : 1;
  const power = 10 ** Math.floor(Math.log10(top / wantedTicks));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => top / size <= wantedTicks) ?? top;
  const count = Math.ceil(top / step);
  // Multiplied and not added up: 0.1 three times is no 0.3.
  return Array.from({ length: count + 1 }, (_, n) => Number((n * step).toPrecision(12)));
}
