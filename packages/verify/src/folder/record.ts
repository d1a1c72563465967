import { LaconicError, type Problem } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";
import { recordedEpisodes, unpackNumbers, type StoredContent, type StoredStep } from "@laconic/core/run-folder";
import type { Played } from "../played.ts";

/** A training step or an evaluation, as the folder has it. */
export interface PlayedRecord {
  readonly step: number;
  /** Those that were trained on or evaluated, each with its problem; its grade in an evaluation. */
  readonly played: readonly { readonly problem: Problem; readonly episode: Played; readonly task?: number }[];
  /** Log-probs that are recorded beyond one for each token, and places at which an episode is played again; 0 in an honest record. */
  readonly surplus: readonly [logProbs: number, episodes: number];
}

/** A training step, as the folder has it. */
export interface StepRecord extends PlayedRecord, Omit<StoredStep, "step" | "episodes" | "utterances" | "played"> {}

/** The place of a record: its JSON is read where it is needed, because a run is larger than memory. */
export interface Recorded {
  readonly step: number;
  readonly kind: "step" | "evaluation";
  /** Whether it holds all episodes; else a few for people to read. */
  readonly isComplete: boolean;
  /** @throws Error for damaged bytes */
  readonly json: () => string;
}

/** Reads and checks a record. @throws LaconicError `data_invalid` naming one whose content is damaged */
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
