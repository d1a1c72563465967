import type { CostSums } from "@laconic/core/ledger";
import type { PlaygroundSettings, Steering } from "./settings.ts";

/** An episode as the playground shows it. */
export interface Conversation {
  readonly question: string;
  readonly gold: string;
  readonly turns: readonly {
    readonly agent: string;
    /** Its private text. */
    readonly fact: string | null;
    /** Whether the text has the answer; absent if each agent has a part of it. */
    readonly knows?: boolean;
    readonly read: readonly { readonly from: string; readonly text: string }[];
    readonly text: string;
    readonly silent: boolean;
    readonly tokens: number;
  }[];
  readonly answer: string | null;
  readonly right: boolean;
  /** Tokens of all messages with their end tokens. */
  readonly tokens: number;
}

/** A point of the curves. */
export interface StepPoint {
  readonly step: number;
  /** Episodes of this step. */
  readonly episodes: number;
  readonly tokens: number;
  readonly accuracy: number;
  /** Price λ of a token. */
  readonly price: number;
  /** Target of the controller; null for a fixed price. */
  readonly target: number | null;
  /** Shares of silent turns of informed and of other agents, if the task counts them. */
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

/** The content of a run folder for the page. */
export interface RunView {
  readonly settings: PlaygroundSettings;
  readonly step: number;
  readonly points: readonly StepPoint[];
  readonly evaluations: readonly EvaluationRow[];
  readonly team: TeamState | null;
  readonly warnings: readonly string[];
}

/** A question of the visitor. */
export type OwnProblem = OwnFacts | OwnStory;

/** A thing, its owner, and the text of each teller. */
export interface OwnStory {
  readonly kind: "story";
  readonly thing: string;
  readonly name: string;
  readonly texts: readonly string[];
}

/** Two conversations with the same random numbers: before and after training, or without and with a change. */
export interface Answers {
  readonly kind: "trained" | "changed";
  /** Description of the change. */
  readonly change?: string;
  readonly before: Conversation;
  readonly now: Conversation;
}

/** A sum of two holders' digits. */
export interface OwnFacts {
  readonly kind: "facts";
  /** Each holder's letter and digit, such as `k6`. */
  readonly facts: readonly string[];
  /** Two of the letters. */
  readonly asked: readonly [string, string];
}

/** The first command. */
export interface Opening {
  readonly type: "open";
  /** Settings of a new run; a kept run has its own. */
  readonly settings: PlaygroundSettings;
  /** Whether the run outlives the page. */
  readonly keep: boolean;
  /** Whether the kept run is dropped. */
  readonly fresh: boolean;
}

/** Commands of the page. */
export type Command =
  | Opening
  /** Null trains until a pause. */
  | { readonly type: "train"; readonly steps: number | null }
  | { readonly type: "pause" }
  /** Writes a checkpoint and continues, because the page may end soon. */
  | { readonly type: "save" }
  /** Answered at once. */
  | { readonly type: "ping" }
  | { readonly type: "adjust"; readonly steering?: Steering; readonly steps?: number }
  | { readonly type: "reset"; readonly settings: PlaygroundSettings }
  | { readonly type: "ask"; readonly problem: OwnProblem; readonly draw: number; readonly liar?: string }
  /** Files that include the story model. */
  | { readonly type: "model"; readonly files: readonly Uint8Array[] }
  | { readonly type: "export" }
  | { readonly type: "import"; readonly archive: Uint8Array };

/** A step of the supervised warm start, with its mean cross-entropy in nats per token. */
export interface WarmUpStep {
  readonly step: number;
  readonly steps: number;
  readonly loss: number;
}

/** Messages of the worker. */
export type WorkerMessage =
  | {
      readonly type: "opened";
      readonly run: RunView;
      readonly glimpse: Glimpse;
      readonly device: string;
      readonly keeping: Keeping;
    }
  | ({ readonly type: "step"; readonly point: StepPoint } & Glimpse)
  /** The level's model is not in this browser yet; the worker waits for `model`. */
  | { readonly type: "model-needed" }
  /** Some steps have a conversation of the team. */
  | ({ readonly type: "warm-up"; readonly episode: Conversation | null } & WarmUpStep)
  /** A checkpoint; with the whole run if only the page can keep it. */
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

/** Whether a run outlives its page, and why. */
export interface Keeping {
  readonly isKept: boolean;
  readonly words: string;
}

export interface Failure {
  /** The failed command. */
  readonly during: Command["type"] | "start";
  /** Of a `LaconicError`, or `unexpected`; `page_failed`, `worker_ended` and `worker_silent` are the page's own. */
  readonly code: string;
  readonly message: string;
}
