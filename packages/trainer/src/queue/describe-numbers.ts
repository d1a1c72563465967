/** `3, 5-8`: numbers in rising order, with their stretches joined; empty for none. */
export function describeNumbers(numbers: readonly number[]): string {
  const stretches: [first: number, last: number][] = [];
  for (const each of numbers) {
    const last = stretches.at(-1);
    if (last && last[1] === each - 1) last[1] = each;
    else stretches.push([each, each]);
  }
  return stretches.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(", ");
}
