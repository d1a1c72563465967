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

/** An episode with its utterances, as a folder has it. */
export type Played = StoredEpisode<Utterance>;

/** What a policy did in a step. */
export type PolicyRecord = Unpacked<StoredPolicy>;

/** One optimiser step. */
export type UpdateRecord = Unpacked<StoredUpdate>;

interface Resolved {
  readonly episodes: readonly Played[];
  readonly utterances: readonly Utterance[];
  /** Recorded log-probs beyond or short of one for each token. */
  readonly surplusLogProbs: number;
}

/** A training step as the folder has it. */
export type StepRecord = Unpacked<Omit<StoredStep, keyof StoredEpisodes>> & Resolved;

/** A held-out evaluation as the folder has it. */
export type EvaluationRecord = Unpacked<Omit<StoredEvaluation, keyof StoredEpisodes>> & Resolved;

/** The place of a record: its JSON is read where it is needed, because a run is larger than memory. */
export interface Recorded {
  readonly step: number;
  readonly kind: "step" | "evaluation";
  /** Whether it holds all episodes; else a few for people to read. */
  readonly isComplete: boolean;
  /** @throws Error for damaged bytes */
  readonly json: () => string;
}

export function readRecord({ json }: Recorded): StepRecord & EvaluationRecord {
  const { sampledLogProbs, ...content } = unpacked(boundedJson(json())) as Unpacked<StoredEpisodes>;
  let used = 0;
  const utterances = content.utterances.map(({ promptTokens = [], tokens, prompt = "", ...said }): Utterance => {
    if (!tokens) return { ...said, prompt };
    const logProbs = Array.from(sampledLogProbs.subarray(used, (used += tokens.length)));
    return { ...said, prompt, trace: { promptTokens, tokens, logProbs } };
  });
  const episodes = content.episodes.map((episode) => ({
    ...episode,
    utterances: episode.utterances.map((i) => utterances[i] as Utterance),
  }));
  const surplusLogProbs = sampledLogProbs.length - used;
  return { ...content, episodes, utterances, surplusLogProbs } as unknown as StepRecord & EvaluationRecord;
}

/** @throws LaconicError `data_invalid` naming the record, for what its form does not allow */
export function whereReadable<T>({ step, kind }: Pick<Recorded, "step" | "kind">, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const what = kind === "step" ? `step ${step}` : `the evaluation at step ${step}`;
    const reason = error instanceof Error ? error.message : String(error);
    const advice = `the record of ${what} is damaged: ${reason}; restore the file of the run's episodes`;
    throw new LaconicError("data_invalid", advice, { step }, error);
  }
}

/** Packed numbers become numbers wherever they occur. */
function unpacked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpacked);
  if (typeof value !== "object" || value === null) return value;
  const { f32, f64 } = value as { readonly f32?: unknown; readonly f64?: unknown };
  if (typeof f32 === "string" || typeof f64 === "string") return unpackNumbers(value as PackedNumbers);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, unpacked(inner)]));
}
