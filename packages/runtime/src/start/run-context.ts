import type { DisposalStack } from "@laconic/core/async";
import type { Run, RunOptions, SinkOutcome, TrainingParts, TrainResult } from "@laconic/trainer";
import type { ModelFolder } from "../models/model-folder.ts";
import type { SourceFiles } from "../resolver/source-files.ts";
import type { OpenedFleet } from "../run/fleet/open-fleet.ts";
import type { BeforeWarmStart } from "../run/warm-start/before-warm-start.ts";
import type { OpenedParts, Place } from "../run/open-parts.ts";
import type { AppConfig } from "../run/run-settings.ts";
import type { Spending } from "../spending/spending.ts";
import type { TrainingProgress } from "./training-progress.ts";

/** What episodes come from where they are not played here. */
export interface OpenedSource {
  readonly parts: TrainingParts;
  close(): Promise<void>;
}

/** Opens it once the run directory is held. */
export type OpenSource = (
  opened: OpenedParts,
  run: { readonly config: AppConfig; readonly directory: string; readonly resume: boolean },
) => Promise<OpenedSource>;

/** What may stop a run: it finishes its step and saves. The reason is a signal's name. */
export interface Interrupts {
  readonly signal: AbortSignal;
  dispose(): void;
}

/** How a run is started. */
export interface StartOptions {
  readonly directory: string;
  readonly resume: Exclude<RunOptions["resume"], undefined>;
  readonly progress: TrainingProgress;
  /** Listens from when models are open: before, an interrupt ends the process. */
  readonly interrupts: () => Interrupts;
  /** Another program plays the episodes. */
  readonly openSource?: OpenSource | undefined;
  readonly spending?: Spending | null;
}

/** What every stage knows. */
export interface Asked extends StartOptions {
  readonly given: AppConfig;
  readonly closing: DisposalStack;
}

/** The configuration is good, as far as one sees without data and weights. */
export interface Checked extends Asked {
  /** How many the run has at a time. */
  readonly models: number;
}

/** The model's files are here. */
export interface Found extends Checked {
  readonly found: ModelFolder;
}

/** A device works, or a server was probed. */
export interface Placed extends Found {
  readonly place: Place;
  readonly where: Pick<AppConfig, "engine" | "device" | "workers">;
}

/** The model that training begins with, and the configuration as the run keeps it. */
export interface Warmed extends Placed {
  readonly config: AppConfig;
  readonly warmStart: BeforeWarmStart | null;
}

/** Engine, models and task are open. */
export interface Opened extends Warmed {
  readonly opened: OpenedParts;
  readonly stop: AbortSignal;
}

/** Sampling servers were probed, where there are some. */
export interface Sampled extends Opened {
  readonly fleet: OpenedFleet | null;
  readonly parts: TrainingParts;
}

/** The run directory is held. */
export interface Held extends Sampled {
  readonly run: Run;
  readonly sources: SourceFiles;
  /** Of this process; null before. */
  readonly firstStep: () => number | null;
  /** Monotonic milliseconds. */
  readonly begun: number;
  /** What sinks are told of the end. */
  readonly end: (outcome: SinkOutcome) => void;
}

/** Training is over. */
export interface Trained extends Held {
  readonly result: TrainResult;
}

/** What became of a run. */
export interface StartedRun extends TrainResult {
  /** Of a model that had a supervised warm start: the team before it. `before` is then the team after it, which the training began with. */
  readonly warmStart: BeforeWarmStart | null;
  /** What interrupted the run, if anything did. */
  readonly signal: NodeJS.Signals | null;
  /** Of this process: steps, evaluations and files. */
  readonly seconds: number;
  /** Of the run's steps, in all its processes: what the report shows. */
  readonly trainingSeconds: number | null;
  /** Of these, those of training steps before it was resumed; 0 for a run that began now. */
  readonly earlierSeconds: number;
  readonly device: string;
}
