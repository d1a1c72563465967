import type { FieldsOf, NumberShape } from "./shapes/shape.ts";

/** How the next token is drawn; `samplingParameters` describes each parameter. */
export interface Sampling {
  /** Divides the logits; 0 is greedy. */
  readonly temperature: number;
  /** Nucleus mass in (0, 1]; 1 keeps everything. */
  readonly topP?: number;
  /** Keep the k likeliest tokens; absent keeps everything. */
  readonly topK?: number;
  /** Drop tokens whose probability is below `minP` times the largest one. */
  readonly minP?: number;
}

/** Name of a parameter of {@link Sampling}. */
export type SamplingName = keyof Sampling;

/** Back ends that sample: `kernels` are local devices, `openai-extended` servers with more parameters than OpenAI's. */
export type SamplingBackEnd = "kernels" | "openai" | "openai-extended" | "vllm" | "sglang" | "tinker" | "ai-sdk";

/** All that is known of a parameter of {@link Sampling}. */
export interface SamplingParameter {
  readonly shape: NumberShape;
  readonly help: string;
  /** Order in which devices apply parameters. */
  readonly step: number;
  /** Removes tokens from the distribution. */
  readonly cuts: boolean;
  /** Value without effect, the meaning of absence. */
  readonly neutral: number;
  /** Different neutral values by back end. */
  readonly neutralAt?: Readonly<Partial<Record<SamplingBackEnd, number>>>;
  /** Supporting back ends; others refuse it by name. */
  readonly takenBy: readonly SamplingBackEnd[];
}

type Parameters = { readonly [Name in SamplingName]-?: FieldsOf<Sampling>[Name] & SamplingParameter };

const localAndServers = ["kernels", "openai-extended", "vllm", "sglang"] as const;
const everywhere = [...localAndServers, "openai", "tinker", "ai-sdk"] as const;

/** Every parameter, in the order in which settings and requests are written. */
export const samplingParameters: Parameters = {
  temperature: {
    shape: { kind: "number", min: 0 },
    help: "divides the logits; 0 takes the likeliest token",
    step: 0,
    cuts: false,
    neutral: 1,
    takenBy: everywhere,
  },
  topP: {
    shape: { kind: "number", above: 0, max: 1 },
    optional: true,
    default: 1, // said to every server, some of which have another of their own
    help: "keeps the likeliest tokens that together have this probability",
    step: 2,
    cuts: true,
    neutral: 1,
    takenBy: everywhere,
  },
  topK: {
    shape: { kind: "number", integer: true, min: 1 },
    optional: true,
    help: "keeps so many likeliest tokens",
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

/** Every name, in the order of {@link samplingParameters}. */
export const samplingNames: readonly SamplingName[] = Object.keys(samplingParameters) as SamplingName[];
