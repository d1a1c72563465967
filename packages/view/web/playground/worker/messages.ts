import type { TeamSpeech } from "../../../src/protocol.ts";
import type { PlaygroundSettings, Steering } from "./settings.ts";

export interface Conversation {
  readonly question: string;
  readonly gold: string;
  readonly turns: readonly {
    readonly agent: string;
    readonly fact: string | null;
    /** Missing if each agent has a part of the answer. */
    readonly knows?: boolean;
    readonly read: readonly { readonly from: string; readonly text: string }[];
    readonly text: string;
    readonly silent: boolean;
    readonly tokens: number;
  }[];
  readonly answer: string | null;
  readonly right: boolean;
  /** Includes end tokens. */
  readonly tokens: number;
}

export interface StepPoint {
  readonly step: number;
  readonly episodes: number;
  readonly tokens: number;
  readonly accuracy: number;
  /** λ. */
  readonly price: number;
  /** Controller target; null for a fixed price. */
  readonly target: number | null;
  /** Shares of silent turns, if the task counts them. */
  readonly silent?: { readonly knowing: number; readonly idle: number };
}

export interface EvaluationRow {
  readonly step: number;
  readonly accuracy: number;
  readonly interval: readonly [low: number, high: number] | null;
  readonly tokens: number;
  readonly problems: number;
}

export interface Glimpse {
  readonly team: TeamSpeech;
  readonly episode: Conversation;
}

export interface RunView {
  readonly settings: PlaygroundSettings;
  readonly step: number;
  readonly points: readonly StepPoint[];
  readonly evaluations: readonly EvaluationRow[];
  readonly team: TeamSpeech | null;
  readonly warnings: readonly string[];
}

export type OwnProblem = OwnFacts | OwnStory;

/** A thing, its owner, and each teller's text. */
export interface OwnStory {
  readonly kind: "story";
  readonly thing: string;
  readonly name: string;
  readonly texts: readonly string[];
}

/** Two conversations with equal random numbers: before and after training, or without and with a change. */
export interface Answers {
  readonly kind: "trained" | "changed";
  readonly change?: string;
  readonly before: Conversation;
  readonly now: Conversation;
}

/** Sum of two holders' digits. */
export interface OwnFacts {
  readonly kind: "facts";
  /** Letter and digit of each holder, such as `k6`. */
  readonly facts: readonly string[];
  readonly asked: readonly [string, string];
}

export interface Opening {
  readonly type: "open";
  readonly settings: PlaygroundSettings;
  readonly keep: boolean;
  readonly fresh: boolean;
}

export type Command =
  | Opening
  /** Null: train until paused. */
  | { readonly type: "train"; readonly steps: number | null }
  | { readonly type: "pause" }
  /** The page may end soon. */
  | { readonly type: "save" }
  | { readonly type: "ping" }
  | { readonly type: "adjust"; readonly steering?: Steering; readonly steps?: number }
  | { readonly type: "reset"; readonly settings: PlaygroundSettings }
  | { readonly type: "ask"; readonly problem: OwnProblem; readonly draw: number; readonly liar?: string }
  | { readonly type: "export" }
  | { readonly type: "import"; readonly archive: Uint8Array };

/** Mean cross-entropy in nats per token. */
export interface WarmUpStep {
  readonly step: number;
  readonly steps: number;
  readonly loss: number;
}

export type WorkerMessage =
  | {
      readonly type: "opened";
      readonly run: RunView;
      readonly glimpse: Glimpse;
      readonly device: string;
      readonly keeping: Keeping;
    }
  | ({ readonly type: "step"; readonly point: StepPoint } & Glimpse)
  | ({ readonly type: "warm-up"; readonly episode: Conversation | null } & WarmUpStep)
  /** Checkpoint; includes the run if only the page can store it. */
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

/** Whether the run is stored in the browser, and why. */
export interface Keeping {
  readonly isKept: boolean;
  readonly words: string;
}

export interface Failure {
  readonly during: Command["type"] | "start";
  /** Code of a `LaconicError`, or `unexpected`; the page adds `page_failed`, `worker_ended` and `worker_silent`. */
  readonly code: string;
  readonly message: string;
}
