import type { Evaluation } from "@laconic/trainer/reading";
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

export interface Glimpse {
  readonly team: TeamSpeech;
  readonly episode: Conversation;
}

export type OwnProblem = OwnFacts | OwnStory;

export interface OwnStory {
  readonly kind: "story";
  readonly thing: string;
  readonly name: string;
  readonly texts: readonly string[];
}

/** Two conversations with equal random numbers: before and after training. */
export interface Answers {
  readonly before: Conversation;
  readonly now: Conversation;
}

export interface OwnFacts {
  readonly kind: "facts";
  /** Letter and digit of each holder, such as `k6`. */
  readonly facts: readonly string[];
  readonly asked: readonly [string, string];
}

export type Command =
  | { readonly type: "open"; readonly settings: PlaygroundSettings }
  /** Null: train until paused. */
  | { readonly type: "train"; readonly steps: number | null }
  | { readonly type: "pause" }
  | { readonly type: "adjust"; readonly steering?: Steering; readonly steps?: number }
  | { readonly type: "reset"; readonly settings: PlaygroundSettings }
  | { readonly type: "ask"; readonly problem: OwnProblem; readonly draw: number }
  | { readonly type: "export" };

/** Mean cross-entropy in nats per token. */
export interface WarmUpStep {
  readonly step: number;
  readonly steps: number;
  readonly loss: number;
}

export type WorkerMessage =
  | {
      readonly type: "opened";
      readonly settings: PlaygroundSettings;
      readonly glimpse: Glimpse;
      readonly device: string;
    }
  | ({ readonly type: "step"; readonly point: StepPoint } & Glimpse)
  | ({ readonly type: "warm-up"; readonly episode: Conversation | null } & WarmUpStep)
  | { readonly type: "evaluating" }
  | { readonly type: "evaluation"; readonly evaluation: Evaluation }
  | { readonly type: "training"; readonly active: boolean; readonly step: number }
  | { readonly type: "settings"; readonly settings: PlaygroundSettings }
  | ({ readonly type: "asked"; readonly step: number } & Answers)
  | { readonly type: "exported"; readonly archive: Uint8Array; readonly name: string }
  | { readonly type: "warning"; readonly message: string }
  | { readonly type: "failed"; readonly failure: Failure };

export interface Failure {
  /** Code of a `LaconicError`, or `unexpected`; the page adds `worker_ended`. */
  readonly code: string;
  readonly message: string;
}
