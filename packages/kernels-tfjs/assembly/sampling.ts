import { exp1, log } from "./vector";

/**
 * One token per row: softmax at the row's temperature, truncation by top-k, then top-p, then min-p, inversion of the
 * cumulative distribution in token order. Logits are overwritten. `kept` is scratch of `vocabulary` floats.
 * Ties at a truncation border are all kept.
 */
export function sampleTokens(
  logits: usize, rows: i32, vocabulary: i32, temperature: usize, topK: usize, topP: usize, minP: usize, uniform: usize,
  tokens: usize, logProbs: usize, kept: usize,
): void {
  for (let r = 0; r < rows; r++) {
    const row = logits + ((r * vocabulary) << 2);
    const heat = load<f32>(temperature + (r << 2));
    const beta: f32 = heat > 0 ? 1 / heat : 1;
    let best = 0;
    let top = load<f32>(row);
    for (let i = 1; i < vocabulary; i++) {
      const value = load<f32>(row + (i << 2));
      if (value > top) {
        top = value;
        best = i;
      }
    }
    let total: f64 = 0;
    for (let i = 0; i < vocabulary; i++) {
      const p = exp1((load<f32>(row + (i << 2)) - top) * beta);
      store<f32>(row + (i << 2), p);
      total += p;
    }
    let token = best;
    if (heat > 0) {
      const floor = threshold(row, vocabulary, total, load<i32>(topK + (r << 2)), load<f32>(topP + (r << 2)), load<f32>(minP + (r << 2)), kept);
      token = invert(row, vocabulary, floor, <f64>load<f32>(uniform + (r << 2)));
    }
    store<i32>(tokens + (r << 2), token);
    store<f32>(logProbs + (r << 2), <f32>(log(<f64>load<f32>(row + (token << 2))) - log(total)));
  }
}

/** Smallest unnormalised probability that survives truncation. */
function threshold(row: usize, vocabulary: i32, total: f64, k: i32, p: f32, minP: f32, sorted: usize): f32 {
  let floor: f32 = 0;
  if ((k > 0 && k < vocabulary) || p < 1) {
    memory.copy(sorted, row, vocabulary << 2);
    sortDescending(sorted, vocabulary);
    const limit = k > 0 && k < vocabulary ? k : vocabulary;
    let mass: f64 = 0;
    for (let i = 0; i < limit; i++) mass += load<f32>(sorted + (i << 2));
    let last = limit - 1;
    if (p < 1) {
      let sum: f64 = 0;
      for (let i = 0; i < limit; i++) {
        sum += load<f32>(sorted + (i << 2));
        if (sum >= <f64>p * mass) {
          last = i;
          break;
        }
      }
    }
    floor = load<f32>(sorted + (last << 2));
  }
  // The likeliest token has unnormalised probability 1.
  return max(floor, minP);
}

/** First token whose cumulative share of the kept mass exceeds u. */
function invert(row: usize, vocabulary: i32, floor: f32, u: f64): i32 {
  let mass: f64 = 0;
  for (let i = 0; i < vocabulary; i++) {
    const p = load<f32>(row + (i << 2));
    if (p >= floor) mass += p;
  }
  const goal = u * mass;
  let sum: f64 = 0;
  let last = 0;
  for (let i = 0; i < vocabulary; i++) {
    const p = load<f32>(row + (i << 2));
    if (p < floor || p == 0) continue;
    sum += p;
    last = i;
    if (sum > goal) return i;
  }
  return last;
}

/** Heap sort: in place, no recursion. */
function sortDescending(x: usize, n: i32): void {
  for (let i = (n >> 1) - 1; i >= 0; i--) sink(x, i, n);
  for (let end = n - 1; end > 0; end--) {
    const t = load<f32>(x);
    store<f32>(x, load<f32>(x + (end << 2)));
    store<f32>(x + (end << 2), t);
    sink(x, 0, end);
  }
}

/** Restores a heap with the smallest value on top. */
function sink(x: usize, from: i32, n: i32): void {
  let i = from;
  while (true) {
    let child = 2 * i + 1;
    if (child >= n) return;
    if (child + 1 < n && load<f32>(x + ((child + 1) << 2)) < load<f32>(x + (child << 2))) child++;
    if (load<f32>(x + (i << 2)) <= load<f32>(x + (child << 2))) return;
    const t = load<f32>(x + (i << 2));
    store<f32>(x + (i << 2), load<f32>(x + (child << 2)));
    store<f32>(x + (child << 2), t);
    i = child;
  }
}
