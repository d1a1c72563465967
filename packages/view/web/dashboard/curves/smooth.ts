/**
 * Exponential mean of the values so far, `weight` of 0 (none) to below 1 on the past, without the pull towards zero at the beginning (the sum of weights
 * divides it out). NaN is a row without the metric: it stays NaN and does not count.
 */
export function smooth(values: Float32Array, weight: number): Float32Array {
  if (weight <= 0) return values;
  const smoothed = new Float32Array(values.length);
  let mean = 0;
  let total = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (Number.isNaN(value)) {
      smoothed[i] = NaN;
      continue;
    }
    mean = weight * mean + (1 - weight) * value;
    total = weight * total + (1 - weight);
    smoothed[i] = mean / total;
  }
  return smoothed;
}
