import type { Answers, Conversation, Failure, Keeping, RunView, WarmUpStep, WorkerMessage } from "./worker/messages.ts";
import type { PlaygroundSettings } from "./worker/settings.ts";

export interface PageState extends RunView {
  /** Null before the worker has opened. */
  readonly device: string | null;
  readonly keeping: Keeping;
  readonly savedStep: number;
  readonly active: boolean;
  readonly stopping: boolean;
  readonly busy: string | null;
  readonly episode: Conversation | null;
  readonly asked: (Answers & { readonly step: number }) | null;
  /** Conversations about the tracked problem by step, starting before training. */
  readonly told: readonly Told[];
  readonly warmUp: WarmUpStep | null;
  readonly failure: Failure | null;
}

export interface Told extends Pick<Conversation, "turns" | "right"> {
  readonly step: number;
}

export type Event =
  | WorkerMessage
  | { readonly type: "sent"; readonly busy: string | null; readonly stopping: boolean; readonly begins: boolean }
  | { readonly type: "dismissed" };

export function firstState(settings: PlaygroundSettings): PageState {
  return {
    device: null,
    keeping: { isKept: true, words: "" },
    settings,
    step: 0,
    savedStep: 0,
    active: false,
    stopping: false,
    busy: "loading the team",
    points: [],
    evaluations: [],
    team: null,
    episode: null,
    asked: null,
    told: [],
    warmUp: null,
    warnings: [],
    failure: null,
  };
}

export function nextState(given: PageState, event: Event): PageState {
  const state = isAnswer(event) && given.failure?.code === "worker_silent" ? { ...given, failure: null } : given;
  switch (event.type) {
    case "opened": {
      const { run, device, keeping } = event;
      const { episode, team } = event.glimpse;
      const opened = { ...firstState(run.settings), ...run, team: run.team ?? team, episode, device, keeping };
      return { ...opened, told: [{ step: run.step, ...episode }], savedStep: run.step, busy: null };
    }
    case "step": {
      const { point, team, episode } = event;
      const before = state.points.filter(({ step }) => step < point.step);
      const told = [...state.told.filter(({ step }) => step < point.step), { step: point.step, ...episode }];
      return { ...state, step: point.step, points: [...before, point], team, episode, told, busy: null, warmUp: null };
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
    case "saved":
      return { ...state, savedStep: event.step };
    case "keeping":
      return { ...state, keeping: event.keeping };
    case "pong":
      return state;
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
      return {
        ...state,
        busy: event.busy ?? state.busy,
        stopping: event.stopping,
        failure: state.failure?.code === "worker_silent" && !event.begins ? state.failure : null,
      };
    case "dismissed":
      return { ...state, failure: null };
  }
}

const idle = { busy: null, stopping: false } as const;
const withoutWorker = { device: null, active: false } as const;

function isAnswer({ type }: Event): boolean {
  return type !== "sent" && type !== "dismissed" && type !== "failed";
}
