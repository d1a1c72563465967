import type { Server } from "node:http";
import { type AgentId, configError, type LanguageModel } from "@laconic/core";
import { isLoopback } from "@laconic/core/wire";
import { boundPort, closeServer, createHandlerServer, listen } from "../handler-server.ts";
import { HttpError, refusalResponse, type CompletionHandler } from "../http.ts";
import { surfaceAt } from "../surfaces/surfaces.ts";
import { Admission, isWorthWaiting } from "./admission.ts";
import { Gate } from "./gate.ts";
import { rememberReward, type GatewayState } from "./gateway-requests.ts";
import { GatewayRoutes } from "./gateway-routes.ts";
import { gatewaySettings, type GatewayOptions, type GatewaySettings } from "./gateway-options.ts";
import { restore } from "./journal.ts";
import type { FinishedRollout } from "./rollout-record.ts";
import { RolloutRegistry, type DropReason } from "./rollout-registry.ts";

/** Groups of rollouts for one step. */
export interface GatewayStep {
  readonly groups: readonly {
    readonly problem: { readonly id: string; readonly question: string; readonly gold: string };
    readonly episodes: readonly Pick<FinishedRollout, "episode" | "reward">[];
    /** Age in steps of the weights of the group's oldest reply. */
    readonly lag: number;
  }[];
  readonly lag: number;
}

/** Status for a progress line. */
export interface GatewayStatus {
  /** Finished steps; null before the first weights. */
  readonly step: number | null;
  readonly open: number;
  /** Rollouts that wait to start. */
  readonly held: number;
  /** Scored rollouts that wait for training. */
  readonly waiting: number;
  readonly groupsReady: number;
  readonly groupsPerStep: number;
  /** Prompts by relation to earlier turns. */
  readonly prompts: Readonly<Record<string, number>>;
  /** Rollouts by reason. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Mean score at the latest validated step; null before the first. */
  readonly validation: { readonly step: number; readonly count: number; readonly score: number } | null;
  readonly otherSampling: number;
  /** Assistant messages that are not replies of the rollout. */
  readonly foreign: number;
}

/** Endpoint that trains the agents behind it. */
export interface Gateway {
  readonly handler: CompletionHandler;
  /**
   * Serves requests until a step has its groups, then holds requests until the next call, so that weights can change.
   * Returns null once the gateway is closed or the signal is aborted.
   */
  take(request: {
    readonly step: number;
    readonly models: Readonly<Record<AgentId, LanguageModel>>;
    readonly signal?: AbortSignal;
  }): Promise<GatewayStep | null>;
  /**
   * Starts a Node server with the handler and sweeps.
   * @param port - 0 for a free one
   * @param host - default: this machine only; another host requires `apiKey`
   * @returns the address, such as `http://127.0.0.1:8000`
   * @throws LaconicError `config_invalid` for an unusable address or a missing key
   */
  listen(port: number, host?: string): Promise<string>;
  /** Drops overdue rollouts. Call it regularly with another server. */
  sweep(): Promise<void>;
  status(): GatewayStatus;
  /** Gives running replies of a listening server three seconds. */
  close(): Promise<void>;
}

const graceMs = 3000;

const sweepMs = 500;

/**
 * Records conversations with another program's agents through an OpenAI-compatible endpoint, for training. Weights
 * change only between steps; requests wait.
 */
export function createGateway(options: GatewayOptions): Gateway {
  return new RolloutGateway(options);
}

/** Never goes back, so that system clock changes do not extend timeouts. */
function withSteadyClock({ now, ...options }: GatewaySettings): GatewaySettings {
  let [last, behind] = [now(), 0];
  const steady = (): number => {
    const read = now();
    behind += Math.max(0, last - read);
    last = read;
    return read + behind;
  };
  return { ...options, now: steady };
}

const shutting = (): HttpError => new HttpError(503, "the server is shutting down", null, "shutting_down");

class RolloutGateway implements Gateway {
  readonly #options: GatewaySettings;
  readonly #waiters = new Set<() => void>();
  readonly #state: GatewayState;
  readonly #routes: GatewayRoutes;
  readonly #whenRestored: Promise<void> | null;
  #restored = (): void => undefined;
  #isRestored: boolean;
  readonly #servers: { readonly server: Server; readonly sweeping: NodeJS.Timeout }[] = [];

  constructor(input: GatewayOptions) {
    const options = withSteadyClock(gatewaySettings(input));
    const { groupsPerStep, rolloutsPerGroup, groupSeconds, maxLag, limits, now } = options;
    this.#options = options;
    const registry = new RolloutRegistry({ groupsPerStep, rolloutsPerGroup, groupSeconds }, now);
    const window = { groups: (maxLag + 1) * groupsPerStep, rolloutsPerGroup };
    this.#state = {
      registry,
      admission: new Admission(registry, window, limits.stalledSeconds, now),
      gate: new Gate(),
      prompts: {},
      dropped: {},
      rewards: new Map(),
      validation: null,
      otherSampling: 0,
      foreign: 0,
      step: null,
      models: {},
      closed: false,
      changed: () => {
        for (const wake of this.#waiters) wake();
        this.#state.admission.admit();
      },
      drop: (id, reason) => this.#drop(id, reason),
    };
    this.#routes = new GatewayRoutes(options, this.#state);
    this.#isRestored = Array.isArray(options.past) && options.past.length === 0;
    this.#whenRestored = this.#isRestored ? null : new Promise<void>((done) => (this.#restored = done));
  }

  readonly handler = async (request: Request): Promise<Response> => {
    try {
      // The state of rollouts is unknown until then.
      if (this.#whenRestored && !new URL(request.url).pathname.endsWith("/health")) await this.#whenRestored;
      if (this.#state.closed) throw shutting();
      return await this.#routes.answer(request);
    } catch (error) {
      return refusalResponse(error, this.#options.onError, surfaceAt(request.url)?.errorOf);
    }
  };

  async take({ step, models, signal }: Parameters<Gateway["take"]>[0]): Promise<GatewayStep | null> {
    const { maxLag, journal } = this.#options;
    const { registry, gate, admission } = this.#state;
    if (!this.#isRestored) await this.#restore(step);
    this.#state.step = step;
    this.#state.models = models;
    await this.#dropAll(registry.olderThan(step, maxLag), "stale");
    gate.open();
    const isReady = await this.#groupsReady(signal);
    await gate.close();
    if (!isReady) return null;
    const taken = registry.take();
    admission.nextStep();
    const ids = taken.flat().map(({ id }) => id);
    await journal({ kind: "taken", step, ids });
    const groups = taken.map((members) => ({
      problem: { id: members[0]?.group ?? "", question: "", gold: "" },
      episodes: members.map(({ episode, reward }) => ({ episode, reward })),
      lag: Math.max(0, ...members.map(({ steps }) => step - steps[0])),
    }));
    return { groups, lag: Math.max(0, ...groups.map(({ lag }) => lag)) };
  }

  async listen(port: number, host: string = "127.0.0.1"): Promise<string> {
    const { hosts, apiKey, onError } = this.#options;
    if (apiKey === null && !isLoopback(host))
      throw configError(`${host} is open to other machines; set the gateway's apiKey`, { host });
    const server = createHandlerServer(this.handler, onError, { hosts, apiKey });
    await listen(server, port, host);
    const sweeping = setInterval(() => void this.sweep().catch(onError), sweepMs);
    this.#servers.push({ server, sweeping });
    return `http://${host}:${boundPort(server, port)}`;
  }

  async sweep(): Promise<void> {
    const { registry } = this.#state;
    await this.#dropAll(registry.idle(this.#options.limits.rolloutSeconds), "timeout");
    await this.#dropAll(registry.lonely(), "lonely");
    this.#state.admission.sweep();
    this.#state.changed(); // groups may have reached their timeout
  }

  status(): GatewayStatus {
    const { registry, admission, step, prompts, dropped, otherSampling, foreign, validation } = this.#state;
    return {
      step,
      open: registry.open.size,
      held: admission.held,
      waiting: registry.waiting,
      groupsReady: registry.ready().length,
      groupsPerStep: this.#options.groupsPerStep,
      prompts: { ...prompts },
      dropped: { ...dropped },
      validation,
      otherSampling,
      foreign,
    };
  }

  async close(): Promise<void> {
    this.#state.closed = true;
    this.#restored();
    this.#state.gate.refuseWaiting(shutting());
    this.#state.admission.refuseHeld(shutting());
    this.#state.changed();
    await Promise.all(
      this.#servers.splice(0).map(({ server, sweeping }) => {
        clearInterval(sweeping);
        return closeServer(server, graceMs);
      }),
    );
  }

  /** Drops before writing, because a step may take waiting rollouts during a write. */
  async #dropAll(ids: readonly string[], reason: DropReason): Promise<void> {
    await Promise.all(ids.map((id) => this.#drop(id, reason)));
  }

  async #drop(id: string, reason: DropReason): Promise<void> {
    const { dropped, registry, admission } = this.#state;
    dropped[reason] = (dropped[reason] ?? 0) + 1;
    registry.drop(id, reason);
    admission.admit();
    await this.#options.journal({ kind: "dropped", id, reason });
  }

  async #restore(step: number): Promise<void> {
    const { registry } = this.#state;
    this.#isRestored = true;
    const past = await restore(this.#options.past, step);
    for (const event of past.corrections) await this.#options.journal(event);
    for (const [id, reason] of past.dropped) registry.drop(id, reason);
    for (const id of past.validated) registry.validated(id);
    for (const id of past.trained) registry.end(id, { state: "trained" });
    for (const rollout of past.waiting) {
      registry.finish(rollout);
      rememberReward(this.#state, rollout);
    }
    this.#restored();
  }

  /** A step has its groups, and no incomplete one would become too old. */
  #mayBegin(): boolean {
    const { groupsPerStep, maxLag, limits } = this.#options;
    const { registry, step } = this.#state;
    const ready = registry.ready();
    if (ready.length < groupsPerStep) return false;
    if (maxLag === 0) return true; // all have the same weights
    const ages = {
      ready: ready.map((lot) => Math.min(...lot.map(({ steps }) => steps[0]))),
      played: registry.played(1000 * limits.stalledSeconds),
    };
    return !isWorthWaiting(ages, { step: step ?? 0, maxLag, groupsPerStep });
  }

  /** False after close or abort. */
  async #groupsReady(signal: AbortSignal | undefined): Promise<boolean> {
    for (;;) {
      if (this.#state.closed || signal?.aborted) return false;
      if (this.#mayBegin()) return true;
      await new Promise<void>((wake) => {
        const done = (): void => {
          this.#waiters.delete(done);
          signal?.removeEventListener("abort", done);
          wake();
        };
        this.#waiters.add(done);
        signal?.addEventListener("abort", done, { once: true });
      });
    }
  }
}
