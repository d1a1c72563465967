import type { CostSums } from "@laconic/core";
import type { PlaygroundSettings, Steering } from "./settings.ts";

/** An episode as the playground shows it. */
export interface Conversation {
  readonly question: string;
  readonly gold: string;
  readonly turns: readonly {
    readonly agent: string;
    /** What it alone knew. */
    readonly fact: string | null;
    readonly read: readonly { readonly from: string; readonly text: string }[];
    readonly text: string;
    readonly silent: boolean;
    readonly tokens: number;
  }[];
  readonly answer: string | null;
  readonly right: boolean;
  /** Written by all, end tokens included. */
  readonly tokens: number;
}

/** A point of the curves. */
export interface StepPoint {
  readonly step: number;
  readonly tokens: number;
  readonly accuracy: number;
  /** λ: what a token cost in this step. */
  readonly price: number;
  /** What the controller aims at; null where the price is fixed. */
  readonly target: number | null;
}

/** Means per episode of a step. */
export interface TeamState extends CostSums {
  readonly written: Readonly<Record<string, number>>;
  readonly silence: Readonly<Record<string, number>>;
}

export interface HeldOut {
  readonly step: number;
  readonly accuracy: number;
  readonly interval: readonly [low: number, high: number];
  readonly tokens: number;
  readonly problems: number;
  /** Its first problems as they were played. */
  readonly shown: readonly Conversation[];
}

/** One conversation of the team as it is now. */
export interface Glimpse {
  readonly team: TeamState;
  readonly episode: Conversation;
}

/** Everything that a page shows of a run when it opens. */
export interface RunView {
  readonly settings: PlaygroundSettings;
  readonly step: number;
  readonly points: readonly StepPoint[];
  readonly evaluations: readonly HeldOut[];
  readonly team: TeamState | null;
  readonly warnings: readonly string[];
}

/** A question of the visitor's own. */
export interface OwnProblem {
  /** Each holder's letter and digit, such as `k6`. */
  readonly facts: readonly string[];
  /** Two of the letters. */
  readonly asked: readonly [string, string];
}

/** The first command of all. */
export interface Opening {
  readonly type: "open";
  /** Of a new run; a kept one has its own. */
  readonly settings: PlaygroundSettings;
  /** Whether the run outlives the page. */
  readonly keep: boolean;
  /** Drops the kept run. */
  readonly fresh: boolean;
}

/** What a page asks of its worker. */
export type Command =
  | Opening
  /** Null trains until it is asked to pause. */
  | { readonly type: "train"; readonly steps: number | null }
  | { readonly type: "pause" }
  /** Writes a checkpoint and goes on: the page may be about to end. */
  | { readonly type: "save" }
  /** Is answered at once, whatever else is done. */
  | { readonly type: "ping" }
  | { readonly type: "adjust"; readonly steering?: Steering; readonly steps?: number }
  | { readonly type: "reset"; readonly settings: PlaygroundSettings }
  | { readonly type: "ask"; readonly problem: OwnProblem; readonly draw: number }
  | { readonly type: "export" }
  | { readonly type: "import"; readonly archive: Uint8Array };

/** What a worker says. */
export type WorkerMessage =
  | {
      readonly type: "opened";
      readonly run: RunView;
      readonly glimpse: Glimpse;
      readonly device: string;
      readonly keeping: Keeping;
    }
  | {
      readonly type: "step";
      readonly point: StepPoint;
      readonly team: TeamState;
      readonly episode: Conversation;
      /** That the step took, without what was measured or asked around it. */
      readonly seconds: number;
    }
  /** A checkpoint; with all of the run where nothing but the page can keep it. */
  | { readonly type: "saved"; readonly step: number; readonly archive: Uint8Array | null }
  | { readonly type: "keeping"; readonly keeping: Keeping }
  | { readonly type: "pong" }
  | { readonly type: "evaluating"; readonly step: number }
  | { readonly type: "evaluation"; readonly evaluation: HeldOut }
  | { readonly type: "training"; readonly active: boolean; readonly step: number; readonly done: boolean }
  | { readonly type: "settings"; readonly settings: PlaygroundSettings }
  | { readonly type: "asked"; readonly before: Conversation; readonly now: Conversation; readonly step: number }
  | { readonly type: "exported"; readonly archive: Uint8Array; readonly name: string }
  | { readonly type: "warning"; readonly message: string }
  | { readonly type: "failed"; readonly failure: Failure };

/** Whether a run outlives its page. */
export interface Keeping {
  readonly isKept: boolean;
  readonly words: string;
}

export interface Failure {
  /** What was asked for. */
  readonly during: Command["type"] | "start";
  /** Of a `LaconicError`, or `unexpected`; `page_failed`, `worker_ended` and `worker_silent` are the page's own. */
  readonly code: string;
  readonly message: string;
}
