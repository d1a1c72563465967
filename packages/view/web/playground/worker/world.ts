import type { AgentId, Engine, LanguageModel, Problem, TrainableModel } from "@laconic/core";
import type { TeamTask } from "@laconic/tasks";
import type { TrainingParts } from "@laconic/trainer";
import type { OwnProblem } from "./messages.ts";
import type { PlaygroundSettings } from "./settings.ts";

/** A level's task, and where the weights lie that its team begins with. */
export interface World {
  readonly task: TeamTask;
  /** Of the run's manifest, where the policy was made for one task alone. */
  readonly policy?: { readonly task: string };
  /** How a problem of the visitor's is answered. */
  readonly temperature: number;
  /** One that no training has, shown before it and after each step. */
  readonly followed: Problem;
  /** A folder. @throws LaconicError `checkpoint_missing` where there are no weights yet */
  beginning(): Promise<string>;
  /** Refuses a new run where its model is not here any more. @throws LaconicError `checkpoint_missing` */
  canBegin?(): Promise<void>;
  /** Files of the model that the run's manifest names. */
  readonly modelFiles: readonly string[];
  /** What an agent alone knows, as it is shown; null for nothing. */
  factOf(problem: Problem, agent: AgentId): string | null;
  /** Whether that is what is asked for; undefined where everybody knows a part. */
  knows?(problem: Problem, agent: AgentId): boolean;
  /** @throws LaconicError `input_invalid` saying which part of it is none */
  problemOf(own: OwnProblem): Problem;
  /** The same problem, where one agent is told something false. @throws LaconicError `input_invalid` for an unknown agent */
  withLie?(problem: Problem, agent: AgentId): Problem;
  /** Teaches the model what its team begins with; resolves to false where that was done before. */
  warmUp?(pupil: Pupil, watch: WarmUpWatch): Promise<boolean>;
}

/** The model before its warm start, and the team that speaks with it. */
export interface Pupil {
  readonly settings: PlaygroundSettings;
  readonly model: TrainableModel;
  readonly speaks: LanguageModel;
  readonly parts: TrainingParts;
  readonly engine: Pick<Engine, "capabilities">;
}

/** Who hears of a warm start, and what ends it. */
export interface WarmUpWatch {
  onStep(step: number, steps: number, loss: number): Promise<void>;
  readonly signal: AbortSignal;
}
