import { inputError, shownValue, mapValues } from "@laconic/core";
import type {
  AgentId,
  LanguageModel,
  Matchmaking,
  PolicySnapshot,
  PoolMember,
  Random,
  TrainableModel,
} from "@laconic/core";
import { checkedCall } from "@laconic/core/checks";
import type { OpponentSettings } from "../settings/config.ts";
import { poolMember, type OpponentState, selfAt, withSelf, type Opponent, type OpponentOf } from "./games.ts";
import type { TrainedPolicy } from "../spec/parts.ts";
import type { RunSpec } from "../spec/run-spec.ts";

export interface OpponentStore {
  /** Saves a past self before a checkpoint names it. */
  keepOpponent?(name: string, models: Readonly<Record<string, TrainableModel>>): Promise<void>;
  /** Calls back with each past self loaded, then reloads the last checkpoint. */
  restoreOpponents?(
    names: readonly string[],
    models: Readonly<Record<string, TrainableModel>>,
    take: (name: string) => Promise<void>,
  ): Promise<void>;
}

/** Frozen past selves and other runs; the loop's state has members and results. */
export class OpponentPool {
  readonly #matchmaking: RunSpec["matchmaking"];
  readonly #settings: OpponentSettings;
  readonly #recorder: OpponentStore;
  readonly #policies: Readonly<Record<string, TrainedPolicy>>;
  readonly #selves = new Map<string, Readonly<Record<string, PolicySnapshot>>>();
  /** Each opponent has a single model, so that requests are batched. */
  readonly #speakers = new Map<string, Readonly<Record<AgentId, LanguageModel>>>();

  constructor({ parts, matchmaking }: RunSpec, settings: OpponentSettings, recorder: OpponentStore) {
    const seated = new Set(settings.sides.flat());
    this.#matchmaking = matchmaking;
    this.#settings = settings;
    this.#recorder = recorder;
    this.#policies = Object.fromEntries(
      Object.entries(parts.policies).filter(([, { agents }]) => agents.some((agent) => seated.has(agent))),
    );
    for (const name of settings.runs) this.#speakers.set(name, this.#named(name, parts.opponents?.[name] ?? {}));
  }

  async begin(): Promise<readonly OpponentState[]> {
    const runs = this.#settings.runs.map((name) => ({ name, step: null, games: 0, points: 0 }));
    return this.#taken(runs, 0);
  }

  async grow(pool: readonly OpponentState[], step: number): Promise<readonly OpponentState[]> {
    return step % this.#settings.every === 0 ? this.#taken(pool, step) : pool;
  }

  /** Reloads a checkpoint's pool. The policies keep the checkpoint's weights. */
  async restore(pool: readonly OpponentState[]): Promise<void> {
    const names = pool.flatMap(({ name, step }) => (step === null ? [] : [name]));
    if (!this.#recorder.restoreOpponents) throw inputError("this recorder stores no opponents for a resume");
    await this.#recorder.restoreOpponents(names, this.#models, (name) => this.#freeze(name));
  }

  opponents(pool: readonly OpponentState[], matchPlace: MatchPlace): OpponentOf {
    const matches: Matches = matchesOf(this.#matchmaking, this.#settings, pool, matchPlace);
    return (group, episode) => {
      const match = matches(group, episode);
      return match && this.opponent(match.opponent, match.side);
    };
  }

  opponent(name: string, side: number): Opponent {
    const speakers = this.#speakers.get(name);
    if (!speakers) throw inputError(`weights not found for the opponent ${name}`, { name });
    const agents = this.#settings.sides[side] ?? [];
    return { name, models: Object.fromEntries(agents.map((agent) => [agent, speakers[agent]!])) };
  }

  get against(): readonly string[] {
    const { against, runs } = this.#settings;
    const isAll = against.includes("pool");
    return isAll ? [...this.#speakers.keys()] : runs.filter((name) => against.includes(name));
  }

  async dispose(): Promise<void> {
    for (const name of Array.from(this.#selves.keys())) await this.#drop(name);
  }

  get #models(): Readonly<Record<string, TrainableModel>> {
    return mapValues(this.#policies, ({ model }) => model);
  }

  /** Drops before adding, so that the pool stays within its maximum. */
  async #taken(pool: readonly OpponentState[], step: number): Promise<readonly OpponentState[]> {
    const self = selfAt(step);
    const next = withSelf(pool, self, this.#settings);
    for (const { name } of pool) if (!next.some((state) => state.name === name)) await this.#drop(name);
    await this.#freeze(self.name);
    await this.#recorder.keepOpponent?.(self.name, this.#models);
    return next;
  }

  async #freeze(name: string): Promise<void> {
    await this.#drop(name);
    const self: Record<string, PolicySnapshot> = {};
    const speakers: Record<AgentId, LanguageModel> = {};
    for (const [policy, { model, speak, agents }] of Object.entries(this.#policies)) {
      const snapshot = await model.snapshot();
      self[policy] = snapshot;
      const speaker = speak(snapshot);
      for (const agent of agents) speakers[agent] = speaker;
    }
    this.#selves.set(name, self);
    this.#speakers.set(name, this.#named(name, speakers));
  }

  async #drop(name: string): Promise<void> {
    for (const snapshot of Object.values(this.#selves.get(name) ?? {})) await snapshot.dispose();
    if (this.#selves.delete(name)) this.#speakers.delete(name);
  }

  #named(name: string, speakers: Readonly<Record<AgentId, LanguageModel>>): Readonly<Record<AgentId, LanguageModel>> {
    const named = new Map<LanguageModel, LanguageModel>();
    return Object.fromEntries(
      Object.entries(speakers).map(([agent, model]) => {
        const languageModel: LanguageModel = named.get(model) ?? {
          id: name,
          ...(model.supports && { supports: model.supports }),
          complete: async (request) => {
            const completion = await model.complete(request);
            return { ...completion, model: { ...completion.model, id: name } };
          },
        };
        named.set(model, languageModel);
        return [agent, languageModel];
      }),
    );
  }
}

export interface Match {
  readonly opponent: string;
  readonly side: number;
}

interface MatchPlace {
  readonly step: number;
  readonly problems: number;
  readonly episodes: number;
  readonly random: Random;
}

/** Returns null for the team alone. */
type Matches = (group: number, episode: number) => Match | null;

/**
 * Draws the opponents of a step in advance, each game with a separate random stream.
 * @throws LaconicError `input_invalid` for an unknown opponent
 */
export function matchesOf(
  rule: Matchmaking,
  { latest, draw, sides }: Pick<OpponentSettings, "latest" | "draw" | "sides">,
  states: readonly OpponentState[],
  { step, problems, episodes, random }: MatchPlace,
): Matches {
  const pool = states.map(poolMember);
  const value = draw === "group" ? 1 : episodes;
  const matches = Array.from({ length: problems * value }, (_, game): Match | null => {
    const stream = random.split(`opponents/${game}`);
    if (stream.split("latest").uniform() < latest) return null;
    const side = (step * problems * value + game) % sides.length;
    return { opponent: chosen(rule, step, pool, stream.split("match")), side };
  });
  return (group, episode) => matches[group * value + (draw === "group" ? 0 : episode)] ?? null;
}

function chosen(rule: Matchmaking, step: number, pool: readonly PoolMember[], random: Random): string {
  const names = pool.map(({ name }) => name);
  return checkedCall(
    { name: `the matchmaking ${rule.name}`.trimEnd(), value: "matchmaking", place: `step ${step + 1}` },
    () => rule({ step, pool, random }),
    (input) =>
      typeof input === "string" && names.includes(input)
        ? null
        : `gave ${shownValue(input)}, expected a name of the pool: ${names.join(", ")}`,
  );
}
