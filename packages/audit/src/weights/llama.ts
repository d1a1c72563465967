import type { Gradient } from "./gradient.ts";
import { embeddingName, type Shape } from "./model-shape.ts";
import { projection, rmsNorm, sumOf, valuesOf, type Step } from "./network-steps.ts";
import { addCombined, timesRows } from "./matrices.ts";
import type { Weights } from "./weights-file.ts";

/** A sequence that was trained on. */
export interface Sequence {
  readonly prompt: readonly number[];
  readonly reply: readonly number[];
  readonly temperature: number;
}

/** What forward keeps for backward, and what it says: log π of each reply token, and the entropies of their distributions. */
export interface Pass {
  readonly logProbs: readonly number[];
  readonly entropies: readonly number[];
  /** Adds d (dLogProbs · log π) / d weights to the gradient. */
  backward(dLogProbs: readonly number[], gradient: Gradient): void;
}

/** The transformer one sequence at a time, in float64, every equation as it is printed; slow on purpose. */
export function forward(weights: Weights, shape: Shape, { prompt, reply, temperature }: Sequence): Pass {
  const { width: D, layers, headName } = shape;
  const tokens = [...prompt, ...reply].slice(0, -1);
  const T = tokens.length;
  const table = valuesOf(weights, embeddingName);
  let x = new Float64Array(T * D);
  tokens.forEach((token, t) => x.set(table.subarray(token * D, token * D + D), t * D));
  const undo: ((dx: Float64Array, gradient: Gradient) => Float64Array)[] = [];
  for (let layer = 0; layer < layers; layer++) {
    for (const block of [attentionBlock, feedForwardBlock]) {
      const { out, back } = block(weights, shape, `model.layers.${layer}.`, x, T);
      const input = x;
      x = input.map((value, i) => value + (out[i] as number));
      undo.push((dx, gradient) => {
        const through = back(dx, gradient);
        return dx.map((value, i) => value + (through[i] as number));
      });
    }
  }
  const final = rmsNorm(weights, "model.norm.weight", x, D, shape.epsilon);
  const head = valuesOf(weights, headName);
  const V = head.length / D;
  const first = prompt.length - 1;
  const logProbs: number[] = [];
  const entropies: number[] = [];
  const softmaxes = reply.map((token, i) => {
    const row = final.out.subarray((first + i) * D, (first + i + 1) * D);
    const logits = timesRows({ values: row, width: D }, head).map((value) => value / temperature);
    const largest = logits.reduce((a, b) => Math.max(a, b), -Infinity);
    let sum = 0;
    for (const value of logits) sum += Math.exp(value - largest);
    const logSum = largest + Math.log(sum);
    logProbs.push((logits[token] as number) - logSum);
    const p = logits.map((value) => Math.exp(value - logSum));
    let entropy = 0;
    p.forEach((each, v) => (entropy -= each === 0 ? 0 : each * ((logits[v] as number) - logSum)));
    entropies.push(entropy);
    return p;
  });
  return {
    logProbs,
    entropies,
    backward(dLogProbs, gradient) {
      const dLogits = new Float64Array(reply.length * V);
      softmaxes.forEach((p, i) => {
        const dLogProb = (dLogProbs[i] as number) / temperature;
        for (let v = 0; v < V; v++) dLogits[i * V + v] = dLogProb * ((v === reply[i] ? 1 : 0) - (p[v] as number));
      });
      const dFinal = new Float64Array(T * D);
      const read = { values: final.out.subarray(first * D), width: D };
      const dRead = { values: dFinal.subarray(first * D), width: D };
      const dHead = gradient.of(headName, head.length);
      if (dHead) addCombined({ values: dHead, width: D }, read, { values: dLogits, perRow: V, perSum: 1 });
      addCombined(dRead, { values: head, width: D }, { values: dLogits, perRow: 1, perSum: V });
      let dx = final.back(dFinal, gradient);
      for (const each of undo.toReversed()) dx = each(dx, gradient);
      const dTable = gradient.of(embeddingName, table.length);
      if (!dTable) return;
      tokens.forEach((token, t) => {
        for (let j = 0; j < D; j++) dTable[token * D + j]! += dx[t * D + j] as number;
      });
    },
  };
}

/** Rotates pairs (i, i + half) of every head by position times frequency (Su et al. 2021); backwards with `sign` -1. */
function rotate(x: Float64Array, T: number, heads: number, shape: Shape, sign: 1 | -1): Float64Array {
  const { headWidth: H } = shape;
  const half = H / 2;
  const out = new Float64Array(x.length);
  for (let i = 0; i < half; i++) {
    const step = frequency(shape, i);
    for (let t = 0; t < T; t++) {
      const c = Math.cos(t * step);
      const s = sign * Math.sin(t * step);
      for (let h = 0; h < heads; h++) {
        const at = (t * heads + h) * H + i;
        const [a, b] = [x[at] as number, x[at + half] as number];
        out[at] = a * c - b * s;
        out[at + half] = b * c + a * s;
      }
    }
  }
  return out;
}

function frequency({ theta, headWidth, scaling }: Shape, i: number): number {
  const plain = theta ** (-(2 * i) / headWidth);
  if (!scaling) return plain;
  const { factor = 1, low_freq_factor: low = 1, high_freq_factor: high = 4 } = scaling;
  const turns = ((scaling["original_max_position_embeddings"] ?? 8192) * plain) / (2 * Math.PI);
  const share = Math.min(1, Math.max(0, (turns - low) / (high - low)));
  return share * plain + ((1 - share) * plain) / factor;
}

function attentionBlock(weights: Weights, shape: Shape, place: string, x: Float64Array, T: number): Step {
  const { width: D, heads, kvHeads, headWidth: H, epsilon } = shape;
  const normed = rmsNorm(weights, `${place}input_layernorm.weight`, x, D, epsilon);
  const projected = (name: string): Step => projection(weights, shape, `${place}self_attn.${name}_proj`, normed.out, D);
  const [q, k, v] = [projected("q"), projected("k"), projected("v")];
  const perHead = (name: string, values: Float64Array): Step =>
    weights.has(`${place}self_attn.${name}_norm.weight`)
      ? rmsNorm(weights, `${place}self_attn.${name}_norm.weight`, values, H, epsilon)
      : { out: values, back: (d) => d };
  const [qn, kn] = [perHead("q", q.out), perHead("k", k.out)];
  const [Q, K, V] = [rotate(qn.out, T, heads, shape, 1), rotate(kn.out, T, kvHeads, shape, 1), v.out];
  const mixed = new Float64Array(T * heads * H);
  const shares = new Float64Array(heads * T * T);
  const scale = 1 / Math.sqrt(H);
  const kvOf = (h: number): number => Math.floor((h * kvHeads) / heads);
  for (let h = 0; h < heads; h++)
    for (let t = 0; t < T; t++) {
      const [qAt, row] = [(t * heads + h) * H, (h * T + t) * T];
      let largest = -Infinity;
      for (let s = 0; s <= t; s++) {
        const kAt = (s * kvHeads + kvOf(h)) * H;
        let dot = 0;
        for (let i = 0; i < H; i++) dot += (Q[qAt + i] as number) * (K[kAt + i] as number);
        shares[row + s] = dot * scale;
        largest = Math.max(largest, dot * scale);
      }
      let sum = 0;
      for (let s = 0; s <= t; s++) sum += shares[row + s] = Math.exp((shares[row + s] as number) - largest);
      for (let s = 0; s <= t; s++) {
        shares[row + s]! /= sum;
        const vAt = (s * kvHeads + kvOf(h)) * H;
        for (let i = 0; i < H; i++) mixed[qAt + i]! += (shares[row + s] as number) * (V[vAt + i] as number);
      }
    }
  const output = projection(weights, shape, `${place}self_attn.o_proj`, mixed, heads * H);
  return {
    out: output.out,
    back(dOut, gradient) {
      const dMixed = output.back(dOut, gradient);
      const [dQ, dK, dV] = [new Float64Array(Q.length), new Float64Array(K.length), new Float64Array(V.length)];
      const dShares = new Float64Array(T);
      for (let h = 0; h < heads; h++)
        for (let t = 0; t < T; t++) {
          const [qAt, row] = [(t * heads + h) * H, (h * T + t) * T];
          let along = 0;
          for (let s = 0; s <= t; s++) {
            const vAt = (s * kvHeads + kvOf(h)) * H;
            let dot = 0;
            for (let i = 0; i < H; i++) {
              dot += (dMixed[qAt + i] as number) * (V[vAt + i] as number);
              dV[vAt + i]! += (shares[row + s] as number) * (dMixed[qAt + i] as number);
            }
            dShares[s] = dot;
            along += dot * (shares[row + s] as number);
          }
          for (let s = 0; s <= t; s++) {
            const d = (shares[row + s] as number) * ((dShares[s] as number) - along) * scale;
            const kAt = (s * kvHeads + kvOf(h)) * H;
            for (let i = 0; i < H; i++) {
              dQ[qAt + i]! += d * (K[kAt + i] as number);
              dK[kAt + i]! += d * (Q[qAt + i] as number);
            }
          }
        }
      const dNormed = [
        q.back(qn.back(rotate(dQ, T, heads, shape, -1), gradient), gradient),
        k.back(kn.back(rotate(dK, T, kvHeads, shape, -1), gradient), gradient),
        v.back(dV, gradient),
      ];
      return normed.back(sumOf(dNormed), gradient);
    },
  };
}

/** down(silu(gate) · up). */
function feedForwardBlock(weights: Weights, shape: Shape, place: string, x: Float64Array): Step {
  const { width: D, epsilon } = shape;
  const normed = rmsNorm(weights, `${place}post_attention_layernorm.weight`, x, D, epsilon);
  const gate = projection(weights, shape, `${place}mlp.gate_proj`, normed.out, D);
  const up = projection(weights, shape, `${place}mlp.up_proj`, normed.out, D);
  const sigmoid = gate.out.map((value) => 1 / (1 + Math.exp(-value)));
  const F = gate.out.length / (x.length / D);
  const product = gate.out.map((value, i) => value * (sigmoid[i] as number) * (up.out[i] as number));
  const down = projection(weights, shape, `${place}mlp.down_proj`, product, F);
  return {
    out: down.out,
    back(dOut, gradient) {
      const dProduct = down.back(dOut, gradient);
      const dGate = dProduct.map((d, i) => {
        const [g, s] = [gate.out[i] as number, sigmoid[i] as number];
        return d * (up.out[i] as number) * (s + g * s * (1 - s));
      });
      const dUp = dProduct.map((d, i) => d * (gate.out[i] as number) * (sigmoid[i] as number));
      return normed.back(sumOf([gate.back(dGate, gradient), up.back(dUp, gradient)]), gradient);
    },
  };
}
