import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError, ragged, raggedSelect, randomFromSeed, randomFromState } from "@laconic/core";
import type {
  OptimizerResult,
  OptimizerSettings,
  SampleRequest,
  SampleResult,
  Sampler,
  SequenceLogProbs,
  TrainableModel,
  TrainingSequence,
} from "@laconic/core";
import { checkSampling, type SamplingSupport } from "@laconic/core/backends";
import { z } from "zod";

/** Table of logits: one row per context, one column per token. */
export interface TabularOptions {
  readonly vocabularySize: number;
  /** Context of a token: the previous token, or the position in the reply. Default `previous`. */
  readonly context?: "previous" | "position";
  /** Rows of a `position` table; later tokens share the last one. Default 8. */
  readonly positions?: number;
  /** Standard deviation of the initial logits. Default 0: uniform. */
  readonly spread?: number;
  readonly seed?: string | number;
  /** Default `adamw`; `sgd` ignores betas and epsilon. */
  readonly optimizer?: "adamw" | "sgd";
  /** Max sequences per token-gradient call. Default all. */
  readonly microBatch?: number;
  readonly id?: string;
}

const tabular: SamplingSupport = { name: "the tabular model", supports: ["temperature"] };

interface Stored {
  readonly logits: readonly number[];
  readonly first: readonly number[];
  readonly second: readonly number[];
  readonly step: number;
}

const numbers = z.array(z.number()).readonly();
const storedSchema: z.ZodType<Stored> = z.strictObject({
  logits: numbers,
  first: numbers,
  second: numbers,
  step: z.int().min(0),
});

const fileName = "table.json";

/**
 * Trainable model small enough to check by hand: a softmax over a table of logits, exact in float64. Samples from the
 * request's random stream, reports true log-probs and entropies, and learns by AdamW or gradient descent. It has no
 * top-p, top-k or min-p, and does not check arguments.
 */
export function tabularModel(options: TabularOptions): TrainableModel {
  const {
    vocabularySize: V,
    context = "previous",
    positions = 8,
    spread = 0,
    seed = 0,
    microBatch = Infinity,
  } = options;
  const id = options.id ?? "tabular";
  const rows = context === "previous" ? V + 1 : positions; // the last row of `previous` follows an empty prompt
  const random = randomFromSeed(seed).split("logits");
  let logits = Float64Array.from({ length: rows * V }, () => (spread === 0 ? 0 : spread * random.normal()));
  let first = new Float64Array(rows * V);
  let second = new Float64Array(rows * V); // moments of AdamW
  const gradient = new Float64Array(rows * V);
  let step = 0;
  let asked = false; // whether a gradient was accumulated

  const rowOf = (prompt: readonly number[], written: readonly number[], t: number): number =>
    V * (context === "position" ? Math.min(t, positions - 1) : ((t > 0 ? written[t - 1] : prompt.at(-1)) ?? V));
  const logSoftmax = (table: Float64Array, start: number, temperature: number): Float64Array => {
    const scaled = table.slice(start, start + V).map((logit) => logit / temperature);
    const top = Math.max(...scaled);
    const normaliser = top + Math.log(scaled.reduce((sum, value) => sum + Math.exp(value - top), 0));
    return scaled.map((value) => value - normaliser);
  };
  const draw = (table: Float64Array, request: SampleRequest, index: number): SampleResult => {
    const { temperature, maxTokens } = request.sampling;
    checkSampling(request.sampling, tabular, { request: index });
    const stream = randomFromState(request.random);
    const [tokens, logProbs]: [number[], number[]] = [[], []];
    let stopped = false;
    while (tokens.length < maxTokens && !stopped) {
      const row = logSoftmax(table, rowOf(request.promptTokens, tokens, tokens.length), temperature || 1);
      const token = temperature === 0 ? row.indexOf(Math.max(...row)) : invert(row, stream.uniform());
      tokens.push(token);
      logProbs.push(row[token] as number);
      stopped =
        request.stopTokens.includes(token) ||
        (request.stopSequences ?? []).some((stop) => stop.every((part, i) => tokens.at(i - stop.length) === part));
    }
    return { promptTokens: request.promptTokens, tokens, logProbs, finishReason: stopped ? "stop" : "length" };
  };
  const forward = (table: Float64Array, sequences: readonly TrainingSequence[]): SequenceLogProbs => {
    const seen = sequences.map(({ promptTokens, completionTokens, temperature = 1 }) =>
      completionTokens.map((token, t) => {
        const row = logSoftmax(table, rowOf(promptTokens, completionTokens, t), temperature || 1);
        return {
          logProb: row[token] as number,
          entropy: -row.reduce((sum, value) => sum + Math.exp(value) * value, 0),
        };
      }),
    );
    return {
      logProbs: ragged(seen.map((row) => row.map(({ logProb }) => logProb))),
      entropy: ragged(seen.map((row) => row.map(({ entropy }) => entropy))),
    };
  };
  /** d log π(token) / d logit_k = ([k = token] - π_k) / temperature. */
  const backward = ({ promptTokens, completionTokens, temperature = 1 }: TrainingSequence, by: Float64Array): void => {
    completionTokens.forEach((token, t) => {
      asked = true;
      const start = rowOf(promptTokens, completionTokens, t);
      const scale = (by[t] as number) / temperature;
      logSoftmax(logits, start, temperature).forEach((value, k) => {
        gradient[start + k] = (gradient[start + k] as number) + scale * ((k === token ? 1 : 0) - Math.exp(value));
      });
    });
  };
  const samplerOf = (table: () => Float64Array): Omit<Sampler, "weightVersion"> => ({
    supports: tabular.supports,
    sample: async (requests, onToken) => {
      const results = requests.map((request, index) => draw(table(), request, index));
      results.forEach(({ tokens, logProbs }, index) =>
        tokens.forEach((token, i) => onToken?.(index, { token, logProb: logProbs[i] as number })),
      );
      return results;
    },
    forward: async (sequences) => forward(table(), sequences),
  });

  return {
    id,
    parameters: rows * V,
    contextLength: Infinity,
    trainableParameters: rows * V,
    get weightVersion() {
      return step;
    },
    ...samplerOf(() => logits),
    async forwardBackward(sequences, tokenGradient) {
      const seen = forward(logits, sequences);
      for (let from = 0; from < sequences.length; from += microBatch) {
        const part = sequences.map((_, row) => row).slice(from, from + microBatch);
        const { offsets } = raggedSelect(seen.logProbs, part);
        const byToken = tokenGradient(raggedSelect(seen.logProbs, part), part);
        part.forEach((row, i) =>
          backward(sequences[row] as TrainingSequence, byToken.subarray(offsets[i], offsets[i + 1])),
        );
      }
      return seen;
    },
    async optimStep(settings): Promise<OptimizerResult> {
      const gradNorm = Math.hypot(...gradient);
      const applied = asked && Number.isFinite(gradNorm);
      if (applied) {
        step += 1;
        const scaled = gradient.map((g) => g * Math.min(1, settings.maxGradNorm / (gradNorm || 1)));
        if (options.optimizer === "sgd")
          logits = logits.map((w, i) => w - settings.learningRate * (scaled[i] as number));
        else adamw(logits, scaled, first, second, step, settings);
      }
      gradient.fill(0);
      asked = false;
      return { gradNorm, applied, step };
    },
    async snapshot() {
      const frozen = logits.slice();
      return { weightVersion: step, ...samplerOf(() => frozen), dispose: async () => undefined };
    },
    async save(folder) {
      const stored: Stored = { logits: [...logits], first: [...first], second: [...second], step };
      await writeFile(join(folder, fileName), JSON.stringify(stored));
      return [fileName];
    },
    async load(folder) {
      const stored = await readTable(folder);
      if ([stored.logits, stored.first, stored.second].some(({ length }) => length !== rows * V))
        throw new LaconicError("weights_invalid", `${folder} holds another table than ${rows} rows of ${V} tokens`);
      logits = Float64Array.from(stored.logits);
      first = Float64Array.from(stored.first);
      second = Float64Array.from(stored.second);
      step = stored.step;
      gradient.fill(0);
      asked = false;
    },
    dispose: async () => undefined,
  };
}

/** Token whose interval of the cumulative distribution contains `uniform`. */
function invert(logProbs: Float64Array, uniform: number): number {
  let rest = uniform;
  const token = logProbs.findIndex((value) => (rest -= Math.exp(value)) < 0);
  return token < 0 ? logProbs.length - 1 : token; // rounding may leave a remainder
}

/** Loshchilov and Hutter 2019, in place. */
function adamw(
  weights: Float64Array,
  gradient: Float64Array,
  first: Float64Array,
  second: Float64Array,
  step: number,
  { learningRate, beta1, beta2, epsilon, weightDecay }: OptimizerSettings,
): void {
  gradient.forEach((g, i) => {
    const m = (first[i] = beta1 * (first[i] as number) + (1 - beta1) * g);
    const v = (second[i] = beta2 * (second[i] as number) + (1 - beta2) * g * g);
    const direction = m / (1 - beta1 ** step) / (Math.sqrt(v / (1 - beta2 ** step)) + epsilon);
    weights[i] = (weights[i] as number) * (1 - learningRate * weightDecay) - learningRate * direction;
  });
}

async function readTable(folder: string): Promise<Stored> {
  const path = join(folder, fileName);
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new LaconicError("checkpoint_missing", `${path} cannot be read`, { path }, error);
  });
  try {
    return storedSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new LaconicError("weights_invalid", `${path} does not hold a table`, { path }, error);
  }
}
