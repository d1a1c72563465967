import { boundedJson, LaconicError, type Utterance } from "@laconic/core";
import {
  unpackNumbers,
  type PackedNumbers,
  type StoredEpisode,
  type StoredEpisodes,
  type StoredEvaluation,
  type StoredPolicy,
  type StoredStep,
  type StoredUpdate,
} from "@laconic/core/run-folder";

/** A stored value whose packed numbers are numbers again. */
type Unpacked<T> = T extends PackedNumbers
  ? Float64Array
  : T extends object
    ? { readonly [K in keyof T]: Unpacked<T[K]> }
    : T;

/** What a policy did in a step. */
export type AuditedPolicy = Unpacked<StoredPolicy>;

/** One optimiser step. */
export type AuditedUpdate = Unpacked<StoredUpdate>;

interface Resolved {
  readonly episodes: readonly StoredEpisode<Utterance>[];
  readonly utterances: readonly Utterance[];
}

/** A step as the folder has it. */
export type AuditedStep = Unpacked<Omit<StoredStep, keyof StoredEpisodes>> & Resolved;

/** A held-out evaluation as the folder has it. */
export type AuditedEvaluation = Unpacked<Omit<StoredEvaluation, keyof StoredEpisodes>> & Resolved;

/** A step or an evaluation that a folder has: its JSON is read where it is needed, because all of them are more than memory. */
export interface Recorded {
  readonly step: number;
  readonly kind: string;
  /** @throws Error for bytes that are none */
  readonly json: () => string;
}

/** @throws LaconicError `data_invalid` for bytes that are no record */
export function readContent(recorded: Recorded): AuditedStep & AuditedEvaluation {
  const { sampledLogProbs: sampled, ...content } = readStored(recorded);
  let at = 0;
  const utterances = content.utterances.map(({ promptTokens = [], tokens, prompt = "", ...rest }): Utterance => {
    if (!tokens) return { ...rest, prompt };
    const logProbs = Array.from(sampled.subarray(at, at + tokens.length));
    at += tokens.length;
    return { ...rest, prompt, trace: { promptTokens, tokens, logProbs } };
  });
  const episodes = content.episodes.map((each) => ({
    ...each,
    utterances: each.utterances.map((i) => utterances[i] as Utterance),
  }));
  return { ...content, episodes, utterances } as unknown as AuditedStep & AuditedEvaluation;
}

function readStored({ step, kind, json }: Recorded): Unpacked<StoredEpisodes> {
  try {
    return unpacked(boundedJson(json())) as Unpacked<StoredEpisodes>;
  } catch (error) {
    const what = kind === "step" ? `step ${step}` : `the evaluation at step ${step}`;
    throw new LaconicError(
      "data_invalid",
      `the record of ${what} is damaged: ${error instanceof Error ? error.message : String(error)}; put the file of the run's episodes back`,
      { step },
      error,
    );
  }
}

/** Packed numbers in place of their bytes, wherever they are. */
function unpacked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpacked);
  if (typeof value !== "object" || value === null) return value;
  const { f32, f64 } = value as { readonly f32?: unknown; readonly f64?: unknown };
  if (typeof f32 === "string" || typeof f64 === "string") return unpackNumbers(value as PackedNumbers);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, unpacked(each)]));
}
