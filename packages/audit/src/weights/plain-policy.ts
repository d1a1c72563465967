import { Gradient } from "./gradient.ts";
import { forward, type Sequence } from "./llama.ts";
import { shapeOf, type Shape } from "./model-shape.ts";
import type { TrainSettings } from "../rules/settings.ts";
import { copyOf, type StoredPolicy, type Weight, type Weights } from "./weights-file.ts";

/** What a forward pass says of a sequence. */
export interface Seen {
  readonly logProbs: readonly number[];
  readonly entropies: readonly number[];
}

/** Weights that stay as they are. */
export interface FrozenPolicy extends Pick<OwnPolicy, "forward"> {
  free?(): Promise<void>;
}

/** Weights that an audit moves by itself. */
export interface OwnPolicy {
  forward(sequences: readonly Sequence[]): Promise<readonly Seen[]>;
  /** Forward, and the gradient of Σ dLogProbs · log π into the optimiser. @returns what was seen, and the gradient's global norm */
  backward(
    sequences: readonly Sequence[],
    dLogProbs: readonly (readonly number[])[],
  ): Promise<{ readonly seen: readonly Seen[]; readonly norm: number }>;
  /** AdamW on what `backward` left (Loshchilov and Hutter 2019). */
  step(settings: TrainSettings["optimizer"], learningRate: number): Promise<void>;
  weights(): Promise<Weights>;
  /** The optimiser's first and second moments; absent where who computes keeps them to itself. */
  moments?(): { readonly first: Weights; readonly second: Weights };
  /** The same weights now, which a later step does not change. */
  copy(): Promise<FrozenPolicy>;
  close(): Promise<void>;
}

/** A policy in plain JavaScript. @throws Error naming what it cannot compute */
export function plainPolicy(stored: StoredPolicy): OwnPolicy {
  const shape = shapeOf(stored.model, stored.adapterScale);
  if (typeof shape === "string") throw new Error(shape);
  const weights = copyOf(stored.weights);
  /** With the frozen base under an adapter. */
  const whole = (trained: Weights): Weights => new Map([...stored.frozen, ...trained]);
  const all = whole(weights);
  const [first, second] = [copyOf(stored.first), copyOf(stored.second)];
  const fresh = (): Gradient => new Gradient((name) => weights.has(name));
  let steps = stored.steps;
  let gradient = fresh();
  return {
    forward: async (sequences) => seenBy(all, shape, sequences),
    async backward(sequences, dLogProbs) {
      gradient = fresh();
      const seen = sequences.map((sequence, i) => {
        const own = dLogProbs[i] as readonly number[];
        const pass = forward(all, shape, sequence);
        if (own.some((dLogProb) => dLogProb !== 0)) pass.backward(own, gradient);
        const { logProbs, entropies } = pass;
        return { logProbs, entropies };
      });
      return { seen, norm: gradient.norm };
    },
    async step({ beta1, beta2, epsilon, weightDecay, maxGradNorm }, learningRate) {
      steps += 1;
      const norm = gradient.norm;
      const shrink = maxGradNorm !== null && norm > maxGradNorm ? maxGradNorm / norm : 1;
      for (const [name, { shape: dimensions, values }] of weights) {
        const dLogProb = gradient.values.get(name);
        const decay = dimensions.length >= 2 ? 1 - learningRate * weightDecay : 1;
        const [m, v] = [momentOf(first, name, dimensions, values), momentOf(second, name, dimensions, values)];
        for (let i = 0; i < values.length; i++) {
          const g = (dLogProb?.[i] ?? 0) * shrink;
          m[i] = beta1 * (m[i] as number) + (1 - beta1) * g;
          v[i] = beta2 * (v[i] as number) + (1 - beta2) * g * g;
          const [mHat, vHat] = [(m[i] as number) / (1 - beta1 ** steps), (v[i] as number) / (1 - beta2 ** steps)];
          values[i] = (values[i] as number) * decay - (learningRate * mHat) / (Math.sqrt(vHat) + epsilon);
        }
      }
    },
    weights: async () => weights,
    moments: () => ({ first, second }),
    copy: async () => {
      const frozen = whole(copyOf(weights));
      return { forward: async (sequences) => seenBy(frozen, shape, sequences) };
    },
    close: async () => undefined,
  };
}

function seenBy(weights: Weights, shape: Shape, sequences: readonly Sequence[]): Seen[] {
  return sequences.map((sequence) => {
    const { logProbs, entropies } = forward(weights, shape, sequence);
    return { logProbs, entropies };
  });
}

function momentOf(
  moments: Map<string, Weight>,
  name: string,
  shape: readonly number[],
  { length }: Float64Array,
): Float64Array {
  const found = moments.get(name) ?? { shape, values: new Float64Array(length) };
  moments.set(name, found);
  return found.values;
}
