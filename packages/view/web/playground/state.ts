import type { Evaluation } from "@laconic/trainer/reading";
import type { TeamSpeech } from "../../src/protocol.ts";
import type { Answers, Conversation, Failure, StepPoint, WarmUpStep, WorkerMessage } from "./worker/messages.ts";
import type { PlaygroundSettings } from "./worker/settings.ts";

export interface PageState {
  readonly settings: PlaygroundSettings;
  readonly step: number;
  readonly points: readonly StepPoint[];
  readonly evaluations: readonly Evaluation[];
  readonly team: TeamSpeech | null;
  readonly warnings: readonly string[];
  /** Null before the worker has opened. */
  readonly device: string | null;
  readonly active: boolean;
  readonly stopping: boolean;
  readonly busy: string | null;
  readonly episode: Conversation | null;
  readonly asked: (Answers & { readonly step: number }) | null;
  readonly warmUp: WarmUpStep | null;
  readonly failure: Failure | null;
}

export type Event =
  | WorkerMessage
  | { readonly type: "sent"; readonly busy: string | null; readonly stopping: boolean }
  | { readonly type: "dismissed" };

export function firstState(settings: PlaygroundSettings): PageState {
  return {
    device: null,
    settings,
    step: 0,
    active: false,
    stopping: false,
    busy: "loading the team",
    points: [],
    evaluations: [],
    team: null,
    episode: null,
    asked: null,
    warmUp: null,
    warnings: [],
    failure: null,
  };
}

export function nextState(state: PageState, event: Event): PageState {
  switch (event.type) {
    case "opened": {
      const { settings, device, glimpse } = event;
      return { ...firstState(settings), ...glimpse, device, busy: null };
    }
    case "step": {
      const { point, team, episode } = event;
      const before = state.points.filter(({ step }) => step < point.step);
      return { ...state, step: point.step, points: [...before, point], team, episode, busy: null, warmUp: null };
    }
    case "warm-up": {
      const { step, steps, loss } = event;
      const warmUp = step === 0 ? null : { step, steps, loss };
      return { ...state, episode: event.episode ?? state.episode, busy: null, warmUp };
    }
    case "evaluating":
      return { ...state, busy: "measuring 100 validation problems" };
    case "evaluation": {
      const { evaluation } = event;
      const before = state.evaluations.filter(({ step }) => step < evaluation.step);
      return { ...state, evaluations: [...before, evaluation], busy: null };
    }
    case "training":
      return { ...state, active: event.active, step: event.step, stopping: false, busy: null, warmUp: null };
    case "settings":
      return { ...state, settings: event.settings };
    case "asked":
      return { ...state, asked: event, busy: null };
    case "exported":
      return { ...state, busy: null };
    case "warning":
      return { ...state, warnings: [...state.warnings, event.message] };
    case "failed":
      return { ...state, ...idle, ...(event.failure.code === "worker_ended" && withoutWorker), failure: event.failure };
    case "sent":
      return { ...state, busy: event.busy ?? state.busy, stopping: event.stopping, failure: null };
    case "dismissed":
      return { ...state, failure: null };
  }
}

const idle = { busy: null, stopping: false } as const;
const withoutWorker = { device: null, active: false } as const;
