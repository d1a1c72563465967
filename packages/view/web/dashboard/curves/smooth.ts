/**
 * Exponential mean of the values so far, `weight` of 0 (none) to below 1 on the past, without the pull towards zero at the beginning (the sum of weights
 * divides it out). NaN is a row without the metric: it stays NaN and does not count.
 * @param into - takes the result, at least as long as the values; memory of many columns is not asked for and thrown away with each picture
 */
export function smooth(values: Float32Array, weight: number, into: Float32Array): Float32Array {
  if (weight <= 0) return values;
  let mean = 0;
  let total = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (Number.isNaN(value)) {
      into[i] = NaN;
      continue;
    }
    mean = weight * mean + (1 - weight) * value;
    total = weight * total + (1 - weight);
    into[i] = mean / total;
  }
  return into;
}
