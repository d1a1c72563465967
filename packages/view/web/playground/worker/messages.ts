import type { CostSums } from "@laconic/core/ledger";
import type { PlaygroundSettings, Steering } from "./settings.ts";

/** An episode as the playground shows it. */
export interface Conversation {
  readonly question: string;
  readonly gold: string;
  readonly turns: readonly {
    readonly agent: string;
    /** What it alone knew. */
    readonly fact: string | null;
    /** Whether that is what is asked for; absent where everybody knows a part. */
    readonly knows?: boolean;
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
  /** That were played in this step. */
  readonly episodes: number;
  readonly tokens: number;
  readonly accuracy: number;
  /** λ: what a token cost in this step. */
  readonly price: number;
  /** What the controller aims at; null where the price is fixed. */
  readonly target: number | null;
  /** Shares of turns without a word, of those who know what is asked and of those who do not; where the task counts them. */
  readonly silent?: { readonly knowing: number; readonly idle: number };
}

/** Means per episode of a step. */
export interface TeamState extends CostSums {
  readonly written: Readonly<Record<string, number>>;
  readonly silence: Readonly<Record<string, number>>;
}

export interface EvaluationRow {
  readonly step: number;
  readonly accuracy: number;
  readonly interval: readonly [low: number, high: number] | null;
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
  readonly evaluations: readonly EvaluationRow[];
  readonly team: TeamState | null;
  readonly warnings: readonly string[];
}

/** A question of the visitor's own. */
export type OwnProblem = OwnFacts | OwnStory;

/** What each teller reads, and who owns what. */
export interface OwnStory {
  readonly kind: "story";
  readonly thing: string;
  /** Whose it is. */
  readonly name: string;
  /** Of each teller. */
  readonly texts: readonly string[];
}

/** Two conversations with the same random numbers: of the team's weights before and now, or of now without and with a change. */
export interface Answers {
  readonly kind: "trained" | "changed";
  /** What was changed, in words. */
  readonly change?: string;
  readonly before: Conversation;
  readonly now: Conversation;
}

/** Facts of holders. */
export interface OwnFacts {
  readonly kind: "facts";
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
  | { readonly type: "ask"; readonly problem: OwnProblem; readonly draw: number; readonly liar?: string }
  /** Files among which the story model is, as the worker asked for. */
  | { readonly type: "model"; readonly files: readonly Uint8Array[] }
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
  /** The level's model is not in this browser yet: it waits for `model`. */
  | { readonly type: "model-needed" }
  /** A step of the supervised warm start, with its mean cross-entropy in nats per token. */
  | {
      readonly type: "warm-up";
      readonly step: number;
      readonly steps: number;
      readonly loss: number;
      /** How the team talks now, now and then. */
      readonly episode: Conversation | null;
    }
  /** A checkpoint; with all of the run where nothing but the page can keep it. */
  | { readonly type: "saved"; readonly step: number; readonly archive: Uint8Array | null }
  | { readonly type: "keeping"; readonly keeping: Keeping }
  | { readonly type: "pong" }
  | { readonly type: "evaluating"; readonly step: number }
  | { readonly type: "evaluation"; readonly evaluation: EvaluationRow }
  | { readonly type: "training"; readonly active: boolean; readonly step: number; readonly done: boolean }
  | { readonly type: "settings"; readonly settings: PlaygroundSettings }
  | ({ readonly type: "asked"; readonly step: number } & Answers)
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
