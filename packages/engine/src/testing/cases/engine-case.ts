import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LaconicError, randomFromSeed } from "@laconic/core";
import type {
  Engine,
  LaconicErrorCode,
  ModelSource,
  OptimizerSettings,
  SampleRequest,
  SampleResult,
  TokenGradient,
  TrainableModel,
  TrainingSequence,
  UnknownRecord,
} from "@laconic/core";
import { expectThat, type ConformanceCase } from "@laconic/core/testing";
import { tinyConfig } from "../tiny-models.ts";

/** Small model for any device; token 0 ends a reply. */
export const config: UnknownRecord = tinyConfig(
  "llama",
  { vocabulary: 13, width: 16, inner: 24, heads: 4, keyValueHeads: 2 },
  { max_position_embeddings: 48, initializer_range: 0.3 },
);

/** Large steps, clipped. */
export const optimizer: OptimizerSettings = {
  learningRate: 0.02,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradNorm: 1,
};

/** Prompts that repeat, share a long prefix, and differ. */
const shared = Array.from({ length: 18 }, (_, i) => 1 + (i % 12));
const prompts = [[1, 2, 3], [1, 2, 3], [4], [...shared, 5], [...shared, 6, 7], shared];

export const requests: readonly SampleRequest[] = prompts.map((promptTokens, i) => ({
  promptTokens,
  sampling: { temperature: i === 2 ? 0 : 0.9, maxTokens: 4 + i },
  stopTokens: [0],
  random: randomFromSeed(i).state(),
}));

/** Nine completion tokens; one sequence has none. */
export const sequences: readonly TrainingSequence[] = [
  { promptTokens: [1, 2, 3], completionTokens: [4, 5, 0] },
  { promptTokens: [6], completionTokens: [7] },
  { promptTokens: [1, 2], completionTokens: [] },
  { promptTokens: [3, 2, 1, 4, 5], completionTokens: [6, 7, 8, 9, 0], temperature: 0.7 },
];

/** Capabilities of the tested engine. */
export interface EngineProfile {
  /** Small model by seed: 13 tokens, 48 positions. */
  source(seed: number): ModelSource;
  stored(folder: string): ModelSource;
  /** Decimals to which equal log-probs agree. Default: bit for bit. */
  readonly digits?: number;
  /** False for remote engines with only temperature 1, no log-probs of other tokens, and no weight files. */
  readonly whole: boolean;
  /** False for engines without gradient clipping. */
  readonly clips?: boolean;
  /** False for engines whose snapshots end with the next step. */
  readonly snapshots?: boolean;
}

/** Any weights, any temperature, every setting. */
export const wholeProfile: EngineProfile = {
  source: (seed) => ({ kind: "config", config, seed }),
  stored: (path) => ({ kind: "folder", path }),
  whole: true,
};

export interface CaseKit {
  readonly profile: EngineProfile;
  readonly requests: readonly SampleRequest[];
  readonly sequences: readonly TrainingSequence[];
  /** Case on a model with seed 1 of a fresh engine. */
  modelCase(name: string, body: (model: TrainableModel, engine: Engine) => Promise<void>): ConformanceCase<Engine>;
  readonly optimizer: OptimizerSettings;
  snapshotCase(...claim: Parameters<CaseKit["modelCase"]>): readonly ConformanceCase<Engine>[];
  wholeCase(...claim: Parameters<CaseKit["modelCase"]>): readonly ConformanceCase<Engine>[];
  /** Steps whose gradient depends on the log-probs, so that differences grow. */
  trainSteps(model: TrainableModel, steps: number): Promise<void>;
  logProbsOf(model: Pick<TrainableModel, "forward">): Promise<string>;
  sameReplies(a: readonly SampleResult[], b: readonly SampleResult[]): boolean;
  text(logProbs: ArrayLike<number>): string;
}

export function caseKit(profile: EngineProfile): CaseKit {
  const { digits, whole, clips = true, snapshots = true } = profile;
  const steps: OptimizerSettings = clips ? optimizer : { ...optimizer, maxGradNorm: Infinity };
  const replies = whole ? requests : requests.map(atTemperatureOne);
  const trained = whole ? sequences : sequences.map((sequence) => ({ ...sequence, temperature: 1 }));
  const text = (values: ArrayLike<number>): string =>
    Array.from(values, (value) => (digits === undefined ? String(value) : value.toFixed(digits))).join();
  const modelCase: CaseKit["modelCase"] = (name, body) => ({
    name,
    async run(create) {
      const engine = await create();
      try {
        await body(await engine.createModel(profile.source(1)), engine);
      } finally {
        await engine.close();
      }
    },
  });
  return {
    profile,
    requests: replies,
    sequences: trained,
    modelCase,
    optimizer: steps,
    snapshotCase: (...claim) => (snapshots ? [modelCase(...claim)] : []),
    wholeCase: (...claim) => (whole ? [modelCase(...claim)] : []),
    async trainSteps(model, count) {
      for (let step = 0; step < count; step++) {
        await model.forwardBackward(trained, ({ values }) => values.map((value) => value / 10 - 0.1));
        await model.optimStep(steps);
      }
    },
    text,
    logProbsOf: async (model) => text((await model.forward(trained)).logProbs.values),
    sameReplies: (a, b) =>
      a.length === b.length &&
      a.every((result, i) => {
        const other = b[i] as SampleResult;
        return result.tokens.join() === other.tokens.join() && text(result.logProbs) === text(other.logProbs);
      }),
  };
}

function atTemperatureOne(request: SampleRequest): SampleRequest {
  const { temperature, maxTokens } = request.sampling;
  return { ...request, sampling: { temperature: temperature === 0 ? 0 : 1, maxTokens } };
}

/** d loss / d log-prob of minus the sum of all log-probs, times `scale`. */
export function pullUp(scale = 1): TokenGradient {
  return ({ values }) => new Float64Array(values.length).fill(-scale);
}

export async function refusal(code: LaconicErrorCode, call: Promise<unknown>): Promise<LaconicError> {
  const error: unknown = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  const match = LaconicError.is(error) ? error.code : String(error);
  expectThat(LaconicError.is(error) && error.code === code, `the call to be refused with ${code}, got ${match}`);
  return error;
}

/** Max difference between sampling and training log-probs. */
export const samplingMargin = 1e-4;

export function expectNear(value: number, expected: number, tolerance: number, what: string): void {
  expectThat(Math.abs(value - expected) <= tolerance, `${what} to be ${expected}, got ${value}`);
}

export async function inFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "laconic-engine-"));
  try {
    await body(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Compares replies from different batches: bit for bit if the engine is batch-invariant, otherwise within rounding. */
export function expectReplies(
  { sameReplies }: CaseKit,
  engine: Engine,
  replies: readonly SampleResult[],
  expected: readonly SampleResult[],
): void {
  if (engine.capabilities.batchInvariant)
    return expectThat(sameReplies(replies, expected), "the same replies, bit for bit");
  replies.forEach(({ tokens, logProbs }, i) => {
    expectThat(tokens.join() === expected[i]?.tokens.join(), `reply ${i} to be the same`);
    logProbs.forEach((logProb, t) =>
      expectNear(logProb, expected[i]?.logProbs[t] as number, 1e-5, `log-prob ${i},${t}`),
    );
  });
}
