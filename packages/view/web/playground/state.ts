import type {
  Answers,
  Conversation,
  Failure,
  Glimpse,
  EvaluationRow,
  Keeping,
  WorkerMessage,
  StepPoint,
  TeamState,
} from "./worker/messages.ts";
import type { PlaygroundSettings } from "./worker/settings.ts";

/** All that the page shows. */
export interface PageState {
  /** Null until the worker has opened. */
  readonly device: string | null;
  readonly keeping: Keeping;
  readonly settings: PlaygroundSettings;
  readonly step: number;
  /** Of the last checkpoint. */
  readonly savedStep: number;
  readonly active: boolean;
  /** Told to stop, and at the end of its step. */
  readonly stopping: boolean;
  /** What takes longer than a step, in words. */
  readonly busy: string | null;
  readonly points: readonly StepPoint[];
  readonly evaluations: readonly EvaluationRow[];
  readonly team: TeamState | null;
  readonly episode: Conversation | null;
  readonly asked: (Answers & { readonly step: number }) | null;
  /** What was said of the followed problem, step by step, the first before training. */
  readonly told: readonly Told[];
  /** The supervised warm start that is under way. */
  readonly warmUp: { readonly step: number; readonly steps: number; readonly loss: number } | null;
  /** The level's model is not in this browser yet. */
  readonly needsModel: boolean;
  readonly warnings: readonly string[];
  readonly failure: Failure | null;
}

/** Who said what at a step. */
export interface Told {
  readonly step: number;
  readonly turns: Conversation["turns"];
  readonly right: boolean;
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
    needsModel: false,
    warnings: [],
    failure: null,
  };
}

export function nextState(given: PageState, event: Event): PageState {
  const state = isAnswer(event) && given.failure?.code === "worker_silent" ? { ...given, failure: null } : given;
  switch (event.type) {
    case "opened": {
      const { run, glimpse, device, keeping } = event;
      const { episode, team }: Glimpse = glimpse;
      const opened = { ...firstState(run.settings), ...run, team: run.team ?? team, episode, device, keeping };
      const told = [{ step: run.step, turns: episode.turns, right: episode.right }];
      return { ...opened, told, savedStep: run.step, busy: null };
    }
    case "step": {
      const { point, team, episode } = event;
      const before = state.points.filter(({ step }) => step < point.step);
      const earlier = state.told.filter(({ step }) => step < point.step);
      const told = [...earlier, { step: point.step, turns: episode.turns, right: episode.right }];
      return { ...state, step: point.step, points: [...before, point], team, episode, told, busy: null, warmUp: null };
    }
    case "warm-up": {
      const { step, steps, loss, episode } = event;
      return {
        ...state,
        episode: episode ?? state.episode,
        busy: null,
        warmUp: step === 0 ? null : { step, steps, loss },
      };
    }
    case "model-needed":
      return { ...state, needsModel: true, busy: null };
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
      return {
        ...state,
        ...(event.failure.code === "worker_ended" && gone),
        failure: event.failure,
        busy: null,
        stopping: false,
      };
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

/** Of a page whose worker ended: nobody is there to be asked for anything. */
const gone = { device: null, active: false } as const;

/** Whether it came from the worker. */
function isAnswer({ type }: Event): boolean {
  return type !== "sent" && type !== "dismissed" && type !== "failed";
}
