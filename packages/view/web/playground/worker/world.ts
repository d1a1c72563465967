import type { AgentId, LanguageModel, Problem, TrainableModel } from "@laconic/core";
import type { TeamTask } from "@laconic/tasks";
import type { TrainingParts } from "@laconic/trainer";
import type { OwnProblem } from "./messages.ts";
import type { PlaygroundSettings } from "./settings.ts";

export interface World {
  readonly task: TeamTask;
  readonly policy?: { readonly task: string };
  readonly temperature: number;
  /** Shown before training and after each step, never trained on. */
  readonly followed: Problem;
  beginning(): Promise<string>;
  readonly modelFiles: readonly string[];
  /** Private text of an agent for the page; null without one. */
  factOf(problem: Problem, agent: AgentId): string | null;
  /** Undefined if each agent has a part of the answer. */
  knows?(problem: Problem, agent: AgentId): boolean;
  /** @throws LaconicError `input_invalid` naming the invalid part */
  problemOf(problem: OwnProblem): Problem;
  /** False if already done. */
  warmUp?(pupil: Pupil, watch: WarmUpWatch): Promise<boolean>;
}

export interface Pupil {
  readonly settings: PlaygroundSettings;
  readonly model: TrainableModel;
  readonly speaks: LanguageModel;
  readonly parts: TrainingParts;
}

export interface WarmUpWatch {
  onStep(step: number, steps: number, loss: number): Promise<void>;
  readonly signal: AbortSignal;
}
