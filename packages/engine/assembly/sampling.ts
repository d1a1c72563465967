import { exp1, exp4, laneSum, log } from "./vector";

/**
 * One token per row: softmax at the row's temperature, truncation by top-k, then top-p, then min-p, inversion of the
 * cumulative distribution in token order. Ties at a truncation border are all kept.
 * `scratch` holds 2 * vocabulary floats.
 */
export function sampleTokens(
  logits: usize, rows: i32, vocabulary: i32, temperature: usize, topK: usize, topP: usize, minP: usize, uniform: usize,
  tokens: usize, logProbs: usize, scratch: usize,
): void {
  const sorted = scratch + (vocabulary << 2);
  for (let r = 0; r < rows; r++) {
    const row = logits + ((r * vocabulary) << 2);
    const heat = load<f32>(temperature + (r << 2));
    // Bounded, since 1 / heat is infinite for the smallest of floats.
    const beta: f32 = heat > 0 ? min<f32>(1 / heat, 1e30) : 1;
    let token = largest(row, vocabulary);
    const top = load<f32>(row + (token << 2));
    const total = shares(row, scratch, vocabulary, top, beta);
    if (heat > 0) {
      const k = load<i32>(topK + (r << 2));
      const floor = threshold(scratch, vocabulary, k, load<f32>(topP + (r << 2)), load<f32>(minP + (r << 2)), sorted);
      token = invert(scratch, vocabulary, floor, load<f32>(uniform + (r << 2)));
    }
    store<i32>(tokens + (r << 2), token);
    const z = (load<f32>(row + (token << 2)) - top) * beta;
    store<f32>(logProbs + (r << 2), <f32>(<f64>z - log(total)));
  }
}

/** First position of the largest value. */
function largest(row: usize, n: i32): i32 {
  let best = 0;
  for (let i = 1; i < n; i++) if (load<f32>(row + (i << 2)) > load<f32>(row + (best << 2))) best = i;
  return best;
}

/** out = exp((row - top) * beta), each token's share before normalisation; returns their sum. */
function shares(row: usize, out: usize, n: i32, top: f32, beta: f32): f64 {
  const t = f32x4.splat(top);
  const b = f32x4.splat(beta);
  let total: f64 = 0;
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    const e = exp4(f32x4.mul(f32x4.sub(v128.load(row + (i << 2)), t), b));
    v128.store(out + (i << 2), e);
    total += laneSum(e);
  }
  for (; i < n; i++) {
    const e = exp1((load<f32>(row + (i << 2)) - top) * beta);
    store<f32>(out + (i << 2), e);
    total += e;
  }
  return total;
}

/** Smallest share that survives truncation. */
function threshold(row: usize, vocabulary: i32, k: i32, p: f32, minP: f32, sorted: usize): f32 {
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
  // The likeliest token's share is 1.
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

function sortDescending(x: usize, n: i32): void {
  for (let i = (n >> 1) - 1; i >= 0; i--) sink(x, i, n);
  for (let end = n - 1; end > 0; end--) {
    const t = load<f32>(x);
    store<f32>(x, load<f32>(x + (end << 2)));
    store<f32>(x + (end << 2), t);
    sink(x, 0, end);
  }
}

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
