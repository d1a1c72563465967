import type { FieldsOf, NumberShape } from "./shapes/shape.ts";

/** Sampling parameters, described by {@link samplingParameters}. */
export interface Sampling {
  /** Divisor of the logits; 0 is greedy. */
  readonly temperature: number;
  /** Nucleus mass in (0, 1]; 1 keeps all tokens. */
  readonly topP?: number;
  /** Number of likeliest tokens to keep. Default: all. */
  readonly topK?: number;
  /** Min probability relative to the likeliest token. */
  readonly minP?: number;
}

/** Name of a parameter of {@link Sampling}. */
export type SamplingName = keyof Sampling;

/** `kernels` are local devices, `openai-extended` servers with more parameters than OpenAI's. */
export type SamplingBackEnd = "kernels" | "openai" | "openai-extended" | "vllm" | "sglang" | "tinker" | "ai-sdk";

export interface SamplingParameter {
  readonly shape: NumberShape;
  readonly help: string;
  /** Order in which devices apply parameters. */
  readonly step: number;
  readonly cuts: boolean;
  /** Value without effect, the default. */
  readonly neutral: number;
  readonly neutralAt?: Readonly<Partial<Record<SamplingBackEnd, number>>>;
  /** Others reject it. */
  readonly takenBy: readonly SamplingBackEnd[];
}

const localAndServers = ["kernels", "openai-extended", "vllm", "sglang"] as const;
const everywhere = [...localAndServers, "openai", "tinker", "ai-sdk"] as const;

/** Parameters in the order of settings and requests. */
export const samplingParameters: {
  readonly [Name in SamplingName]-?: Omit<FieldsOf<Sampling>[Name], "shape"> & SamplingParameter;
} = {
  temperature: {
    shape: { kind: "number", min: 0 },
    help: "divides the logits; 0 takes the most likely token",
    step: 0,
    cuts: false,
    neutral: 1,
    takenBy: everywhere,
  },
  topP: {
    shape: { kind: "number", above: 0, max: 1 },
    optional: true,
    default: 1, // Some servers have another default.
    help: "keeps the most likely tokens up to this total probability",
    step: 2,
    cuts: true,
    neutral: 1,
    takenBy: everywhere,
  },
  topK: {
    shape: { kind: "number", integer: true, min: 1 },
    optional: true,
    help: "keeps this many most likely tokens",
    step: 1,
    cuts: true,
    neutral: 0,
    neutralAt: { "openai-extended": -1, sglang: -1 },
    takenBy: [...localAndServers, "tinker", "ai-sdk"],
  },
  minP: {
    shape: { kind: "number", min: 0, max: 1 },
    optional: true,
    help: "keeps tokens with at least this share of the likeliest one's probability",
    step: 3,
    cuts: true,
    neutral: 0,
    takenBy: localAndServers,
  },
};

/** All names, in the order of {@link samplingParameters}. */
export const samplingNames: readonly SamplingName[] = Object.keys(samplingParameters) as SamplingName[];
