import { LaconicError, type Problem } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";
import { recordedEpisodes, unpackNumbers, type StoredContent, type StoredStep } from "@laconic/core/run-folder";
import type { Played } from "../played.ts";

export interface PlayedRecord {
  readonly step: number;
  /** Trained or evaluated episodes with their problems; `task` is the grade in an evaluation. */
  readonly played: readonly { readonly problem: Problem; readonly episode: Played; readonly task?: number }[];
  /** Log-probs in excess of the tokens, and duplicate episodes; both 0 in a valid record. */
  readonly surplus: readonly [logProbs: number, episodes: number];
}

export interface StepRecord extends PlayedRecord, Omit<StoredStep, "step" | "episodes" | "utterances" | "played"> {}

/** The JSON is read on demand, because a run can exceed memory. */
export interface Recorded {
  readonly step: number;
  readonly kind: "step" | "evaluation";
  /** Holds all episodes, not a sample. */
  readonly isComplete: boolean;
  /** @throws Error for damaged bytes */
  readonly json: () => string;
}

/** @throws LaconicError `data_invalid` for a damaged record */
export function withRecord<T>(recorded: Recorded, check: (record: StepRecord) => T): T {
  const { step, kind, json } = recorded;
  try {
    const content = boundedJson(json()) as StoredContent;
    const played = recordedEpisodes(step, content).map(({ episode, score, problem, task }) => ({
      problem,
      episode: { ...episode, ...(score !== undefined && { score }) },
      ...(task !== undefined && { task }),
    }));
    const tokens = content.utterances.reduce((sum, utterance) => sum + (utterance.tokens?.length ?? 0), 0);
    const numbers = (content.played ?? content.rollouts ?? []).map(({ episode }) => episode);
    const surplus = [unpackNumbers(content.sampledLogProbs).length - tokens, numbers.length - new Set(numbers).size];
    return check({ ...content, played, surplus } as unknown as StepRecord);
  } catch (error) {
    const what = kind === "step" ? `step ${step}` : `the evaluation at step ${step}`;
    const advice = `the record of ${what} is damaged: ${(error as Error).message}; restore the file of the run's episodes`;
    throw new LaconicError("data_invalid", advice, { step }, error);
  }
}
