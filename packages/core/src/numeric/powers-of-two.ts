/** ln 2 in two pieces: this one has 21 zeros at its end. */
export const ln2High = 6.9314718036912381649e-1;
/** And this one is the rest. */
export const ln2Low = 1.90821492927058770002e-10;

/** About half and one and a half of ln 2. */
const [half, oneAndHalf] = [(1 + 0x62e43 / 2 ** 20) / 4, 1 + 0x0a2b2 / 2 ** 20];

/** The power of two next to e to a power, as fdlibm takes it. */
export function twosIn(power: number): number {
  const [size, sign] = [Math.abs(power), power < 0 ? -1 : 1];
  if (size < half) return 0;
  return size < oneAndHalf ? sign : Math.trunc(Math.LOG2E * power + 0.5 * sign);
}
