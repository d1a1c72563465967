import type { AgentId, LanguageModel } from "@laconic/core";
import type { CompletionHandler } from "../completion-handler.ts";
import { HttpError, refusalResponse } from "../http.ts";
import { Gate } from "./gate.ts";
import { rememberReward, type GatewayState } from "./gateway-state.ts";
import { GatewayRoutes } from "./gateway-routes.ts";
import type { GatewayOptions } from "./gateway-options.ts";
import { restore } from "./journal.ts";
import { RolloutRegistry, type FinishedRollout } from "./rollout-registry.ts";

/** What a step is made of: groups of rollouts with their rewards, as a trainer takes them. */
export interface GatewayStep {
  readonly groups: readonly {
    readonly problem: { readonly id: string; readonly question: string; readonly gold: string };
    readonly episodes: readonly Pick<FinishedRollout, "episode" | "reward">[];
    /** Steps that the weights behind its oldest reply are behind. */
    readonly lag: number;
  }[];
  /** The same of the oldest reply of all groups. */
  readonly lag: number;
}

/** How things stand, for a progress line. */
export interface GatewayStatus {
  /** Steps done; null before the first weights are there. */
  readonly step: number | null;
  readonly open: number;
  /** Rollouts with a reward that are not trained yet. */
  readonly waiting: number;
  readonly groupsReady: number;
  readonly groupsPerStep: number;
  /** Prompts since the server began, by how they stand to what was said before. */
  readonly prompts: Readonly<Record<string, number>>;
  /** Rollouts without a reward or without use, by reason. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Requests that asked to be sampled otherwise than the run samples. */
  readonly otherSampling: number;
  /** Assistant messages in prompts that no reply of their rollout is. */
  readonly foreign: number;
}

/** An endpoint that trains what speaks behind it. */
export interface Gateway {
  readonly handler: CompletionHandler;
  /**
   * Lets the models speak until a step has its groups, then holds requests back until it is called again: weights may move
   * meanwhile. Null once it is closed, or the signal says so. A trainer's source of episodes.
   */
  take(request: {
    readonly step: number;
    readonly models: Readonly<Record<AgentId, LanguageModel>>;
    readonly signal?: AbortSignal;
  }): Promise<GatewayStep | null>;
  /** Drops what is overdue; to be called now and then. */
  sweep(): Promise<void>;
  status(): GatewayStatus;
  /** Refuses requests from now on. */
  close(): void;
}

/**
 * Records what agents of another program say to each other through an OpenAI-compatible endpoint, by rollout, and gives a trainer
 * groups of rollouts with their rewards. Weights move between steps only: while they do, requests wait.
 */
export function createGateway(options: GatewayOptions): Gateway {
  const { groupsPerStep, rolloutsPerGroup, groupSeconds, limits, maxLag, journal } = options;
  const waiters = new Set<() => void>();
  const state: GatewayState = {
    registry: new RolloutRegistry({ groupsPerStep, rolloutsPerGroup, groupSeconds }, options.now),
    gate: new Gate(),
    prompts: {},
    dropped: {},
    rewards: new Map(),
    otherSampling: 0,
    foreign: 0,
    step: null,
    models: {},
    closed: false,
    changed: () => {
      for (const wake of waiters) wake();
    },
  };
  const { registry, gate } = state;
  const drop = async (id: string, reason: Parameters<RolloutRegistry["drop"]>[1]): Promise<void> => {
    state.dropped[reason] = (state.dropped[reason] ?? 0) + 1;
    registry.drop(id, reason);
    await journal({ kind: "dropped", id, reason });
  };
  const shutting = new HttpError(503, "server_error", "the server is ending", null, "shutting_down");
  const routes = new GatewayRoutes(options, state, drop);
  const isNew = Array.isArray(options.past) && options.past.length === 0;
  let restored = (): void => undefined;
  const whenRestored = isNew ? null : new Promise<void>((done) => (restored = done));
  let isRestored = isNew;

  const sweep = async (): Promise<void> => {
    for (const id of registry.idle(limits.rolloutSeconds)) await drop(id, "timeout");
    for (const id of registry.lonely()) await drop(id, "lonely");
    state.changed(); // groups may be late enough by now
  };

  /** Resolves when a step has its groups; false when nobody plays any more. */
  const groupsReady = async (signal: AbortSignal | undefined): Promise<boolean> => {
    for (;;) {
      if (state.closed || signal?.aborted) return false;
      if (registry.ready().length >= groupsPerStep) return true;
      await new Promise<void>((wake) => {
        const done = (): void => {
          waiters.delete(done);
          signal?.removeEventListener("abort", done);
          wake();
        };
        waiters.add(done);
        signal?.addEventListener("abort", done, { once: true });
      });
    }
  };

  return {
    handler: async (request) => {
      try {
        // Whether a rollout is open, or has its reward, is not known before.
        if (whenRestored && !new URL(request.url).pathname.endsWith("/health")) await whenRestored;
        if (state.closed) throw shutting;
        return await routes.answer(request);
      } catch (error) {
        return refusalResponse(error, options.onError);
      }
    },
    async take({ step, models, signal }) {
      if (!isRestored) {
        isRestored = true;
        const past = await restore(options.past, step);
        for (const [id, reason] of past.dropped) registry.drop(id, reason);
        for (const id of past.trained) registry.remember(id, { state: "trained" });
        for (const rollout of past.waiting) {
          registry.finish(rollout);
          rememberReward(state, rollout);
        }
        restored();
      }
      state.step = step;
      state.models = models;
      for (const id of registry.olderThan(step, maxLag)) await drop(id, "stale");
      gate.open();
      const isReady = await groupsReady(signal);
      await gate.close();
      if (!isReady) return null;
      const taken = registry.take();
      const ids = taken.flat().map(({ id }) => id);
      await journal({ kind: "taken", step, ids });
      const groups = taken.map((members) => ({
        problem: { id: members[0]?.group ?? "", question: "", gold: "" },
        episodes: members.map(({ episode, reward }) => ({ episode, reward })),
        lag: Math.max(0, ...members.map(({ steps }) => step - steps[0])),
      }));
      return { groups, lag: Math.max(0, ...groups.map(({ lag }) => lag)) };
    },
    sweep,
    status: () => ({
      step: state.step,
      open: registry.open.size,
      waiting: registry.waiting,
      groupsReady: registry.ready().length,
      groupsPerStep,
      prompts: { ...state.prompts },
      dropped: { ...state.dropped },
      otherSampling: state.otherSampling,
      foreign: state.foreign,
    }),
    close() {
      state.closed = true;
      restored();
      gate.refuseWaiting(shutting);
      state.changed();
    },
  };
}
