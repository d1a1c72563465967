import type { SamplingName } from "@laconic/core";
import { kernelSampling } from "@laconic/core/backends";
import type { GpuArray } from "../gpu-array.ts";
import { groupIndex, type WgslProgram } from "./program.ts";

/** WGSL: unsigned integers with the order of the floats. */
const orderedKey = `
fn keyOf(x : f32) -> u32 {
  let bits = bitcast<u32>(x);
  return select(bits | 0x80000000u, ~bits, bits >> 31u == 1u);
}`;

const cuts = ["temperature", "topK", "topP", "minP"] as const;
const settingAt = (name: SamplingName): string => `settings[setting + ${kernelSampling.indexOf(name)}]`;

/** WGSL: combines a number of each thread in a fixed order. */
const reduction = (name: string, list: string, type: string, combined: string): string => `
var<workgroup> ${list} : array<${type}, THREADS>;
fn ${name}(value : ${type}) -> ${type} {
  workgroupBarrier();
  ${list}[localIndex] = value;
  workgroupBarrier();
  var all = ${list}[0];
  for (var i = 1; i < THREADS; i++) { all = ${combined}; }
  return all;
}`;

const reductions = [
  reduction("addAll", "shares", "f32", "all + shares[i]"),
  reduction("largestOf", "keys", "u32", "max(all, keys[i])"),
  reduction("addCounts", "counts", "u32", "all + counts[i]"),
  reduction("smallestOf", "places", "i32", "min(all, places[i])"),
].join("");

const groupSize = (vocabulary: number): number => (vocabulary > 4096 ? 256 : 64);

/**
 * Draws one token per row of logits [B, V] by inverting the cumulative distribution in token order: `tokens` int32
 * [B], `logProbs` [B]. Finds thresholds of top-k and top-p bit by bit.
 * @param settings - [B, columns of `kernelSampling`]
 * @param uniform - [B, W], one column per draw
 */
export function sampleTokensProgram(
  logits: GpuArray,
  settings: GpuArray,
  uniform: GpuArray,
  column: number,
): WgslProgram {
  const [rows, vocabulary] = logits.shape as [number, number];
  return {
    name: "sample-tokens",
    inputs: { logits, settings, chances: uniform },
    integers: { rows, vocabulary, width: uniform.size / rows, column },
    groupSize: groupSize(vocabulary),
    groups: rows,
    code: `${orderedKey}
${reductions}
var<workgroup> place : vec4<f32>;
fn main(index : i32) {
  let row = ${groupIndex};
  let V = uniforms.vocabulary;
  let own = i32(localIndex);
  let inside = min(row, uniforms.rows - 1);
  let setting = inside * ${kernelSampling.length};
  let at = inside * V;
  if (own == 0) { place = vec4<f32>(${cuts.map(settingAt).join(", ")}); }
  let cuts = workgroupUniformLoad(&place); // the same for all, which barriers ask for
  let divisor = select(cuts.x, 1.0, cuts.x == 0.0);

  var key = 0u;
  for (var i = own; i < V; i += THREADS) { key = max(key, keyOf(logits[at + i] / divisor)); }
  let maxKey = largestOf(key);
  let most = bitcast<f32>(select(maxKey & 0x7fffffffu, ~maxKey, maxKey >> 31u == 0u));
  var share = 0.0;
  for (var i = own; i < V; i += THREADS) { share += exp(logits[at + i] / divisor - most); }
  let whole = addAll(share);

  var border = 0u;
  if (cuts.y > 0.0 && cuts.y < f32(V)) {
    // The k-th largest score.
    for (var bit = 31; bit >= 0; bit--) {
      let candidate = border | (1u << u32(bit));
      var count = 0u;
      for (var i = own; i < V; i += THREADS) {
        if (keyOf(logits[at + i] / divisor) >= candidate) { count++; }
      }
      if (f32(addCounts(count)) >= cuts.y) { border = candidate; }
    }
  }
  if (cuts.z < 1.0) {
    // The largest score whose equals and betters reach the mass.
    share = 0.0;
    for (var i = own; i < V; i += THREADS) {
      let score = logits[at + i] / divisor;
      if (keyOf(score) >= border) { share += exp(score - most); }
    }
    let wanted = addAll(share) * cuts.z;
    var reached = 0u;
    for (var bit = 31; bit >= 0; bit--) {
      let candidate = reached | (1u << u32(bit));
      share = 0.0;
      for (var i = own; i < V; i += THREADS) {
        let score = logits[at + i] / divisor;
        let key = keyOf(score);
        if (key >= candidate && key >= border) { share += exp(score - most); }
      }
      if (addAll(share) >= wanted) { reached = candidate; }
    }
    // Nobody reaches a mass that is no number; the likeliest stays.
    border = min(max(border, reached), maxKey);
  }

  // Tokens next to each other belong to one thread, so that a thread's mass is that of a stretch of the row.
  let stretch = (V + THREADS - 1) / THREADS;
  let end = min(V, (own + 1) * stretch);
  share = 0.0;
  var greedy = V;
  for (var i = own * stretch; i < end; i++) {
    let score = logits[at + i] / divisor;
    let key = keyOf(score);
    let mass = exp(score - most);
    if (key >= border && mass >= cuts.w) { share += mass; }
    if (key == maxKey && greedy == V) { greedy = i; }
  }
  let kept = addAll(share);
  let likeliest = smallestOf(greedy);
  if (own == 0 && row < uniforms.rows) {
    var token = likeliest;
    if (cuts.x != 0.0) {
      let aim = kept * chances[row * uniforms.width + uniforms.column];
      // The thread at which the sums pass the target; rounding must not lead behind the last mass.
      var before = 0.0;
      var start = 0.0;
      var chosen = 0;
      for (var t = 0; t < THREADS; t++) {
        if (shares[t] > 0.0) {
          chosen = t;
          start = before;
          before += shares[t];
          if (before > aim) { break; }
        }
      }
      before = start;
      for (var i = chosen * stretch; i < min(V, (chosen + 1) * stretch); i++) {
        let score = logits[at + i] / divisor;
        let mass = exp(score - most);
        if (keyOf(score) >= border && mass >= cuts.w && mass > 0.0) {
          token = i;
          before += mass;
          if (before > aim) { break; }
        }
      }
    }
    tokens[row] = token;
    logProbs[row] = logits[at + token] / divisor - most - log(whole);
  }
}`,
  };
}

/**
 * Log-softmax of logits [B, V] at one token per row, `logProbs` [B], and of the `count` likeliest, first of ties
 * first: `topTokens` int32 and `topLogProbs`, [B, max(1, count)].
 */
export function tokenLogProbsProgram(logits: GpuArray, tokens: GpuArray, count: number): WgslProgram {
  const [rows, vocabulary] = logits.shape as [number, number];
  return {
    name: "token-log-probs",
    inputs: { logits, tokens },
    integers: { rows, vocabulary, count },
    groupSize: groupSize(vocabulary),
    groups: rows,
    code: `${orderedKey}
${reductions}
fn main(index : i32) {
  let row = ${groupIndex};
  let V = uniforms.vocabulary;
  let own = i32(localIndex);
  let at = min(row, uniforms.rows - 1) * V;
  var key = 0u;
  for (var i = own; i < V; i += THREADS) { key = max(key, keyOf(logits[at + i])); }
  let maxKey = largestOf(key);
  let most = bitcast<f32>(select(maxKey & 0x7fffffffu, ~maxKey, maxKey >> 31u == 0u));
  var share = 0.0;
  for (var i = own; i < V; i += THREADS) { share += exp(logits[at + i] - most); }
  let whole = most + log(addAll(share));
  let lives = own == 0 && row < uniforms.rows;
  if (lives) { logProbs[row] = logits[at + tokens[row]] - whole; }
  var lastKey = 0xffffffffu;
  var lastPlace = -1;
  for (var n = 0; n < uniforms.count; n++) {
    // The next in order: what is below the last, or its equal further on.
    key = 0u;
    for (var i = own; i < V; i += THREADS) {
      let other = keyOf(logits[at + i]);
      if (other < lastKey || (other == lastKey && i > lastPlace)) { key = max(key, other); }
    }
    let next = largestOf(key);
    var first = V;
    for (var i = own; i < V; i += THREADS) {
      if (keyOf(logits[at + i]) == next && (next != lastKey || i > lastPlace)) { first = min(first, i); }
    }
    lastPlace = smallestOf(first);
    lastKey = next;
    if (lives) {
      topTokens[row * uniforms.count + n] = lastPlace;
      topLogProbs[row * uniforms.count + n] = logits[at + lastPlace] - whole;
    }
  }
}`,
  };
}
