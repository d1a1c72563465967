import {
  LaconicError,
  type AgentId,
  type Completion,
  type Episode,
  type LanguageModel,
  type LedgerCall,
  type Random,
  type ToolDefinition,
} from "@laconic/core";
import { callTokens } from "@laconic/core/ledger";
import { inEnvironment } from "@laconic/topologies";
import { invalid } from "../http.ts";
import type { ServedTeam } from "../options.ts";
import { callerTools, type AskedCalls } from "./caller-tools.ts";
import type { Offer, TeamRequest } from "./team-request.ts";

/** What an agent said, as an answer's `laconic` lists it. */
export interface Said {
  readonly agent: AgentId;
  readonly text: string;
  /** Written, the end token included. */
  readonly tokens: number;
}

/** Where an episode stands when it has something to say: at calls, or at its end. */
export interface TeamStop {
  readonly asked: AskedCalls | null;
  readonly episode: Episode | null;
  /** Said since the last stop. */
  readonly said: readonly Said[];
  /** Calls of models since the last stop. */
  readonly calls: readonly LedgerCall[];
  /** The whole ledger; until the end without what was read. */
  readonly ledger: readonly LedgerCall[];
}

/** An episode that stops wherever an agent calls a tool of the caller's. */
export class TeamEpisode {
  readonly #controller = new AbortController();
  readonly #ended: Promise<Episode>;
  #tools: readonly ToolDefinition[];
  #spoken: { readonly said: Said; readonly call: LedgerCall }[] = [];
  #hear: (said: Said) => void = () => undefined;
  #stop: (asked: AskedCalls) => void = () => undefined;
  #asked: { readonly asked: AskedCalls; readonly answer: (texts: readonly string[]) => void } | null = null;
  /** Said up to the last stop. */
  #told = 0;

  constructor(team: ServedTeam, { problem, sampling, maxTokens, offer }: TeamRequest, random: Random) {
    this.#tools = offer?.tools ?? [];
    this.#ended = this.#topologyOf(team, offer).run(problem, {
      models: this.#heard(team, offer),
      sampling,
      random,
      signal: this.#controller.signal,
      ...(maxTokens !== null && { limits: { maxTokens } }),
    });
    this.#ended.catch(() => undefined); // whoever advances hears of it
  }

  /** What it waits for; null while it runs. */
  get asked(): AskedCalls | null {
    return this.#asked?.asked ?? null;
  }

  /**
   * Plays on until it stops.
   * @param results - of the calls that it waits for, in their order
   * @param signal - ends the episode
   * @throws what the episode throws
   */
  async advance(
    signal: AbortSignal,
    hear: (said: Said) => void,
    goesOn?: { readonly results: readonly string[]; readonly tools: readonly ToolDefinition[] },
  ): Promise<TeamStop> {
    const end = (): void => this.end();
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
    this.#hear = hear;
    const stopped = new Promise<AskedCalls>((resolve) => (this.#stop = resolve));
    if (goesOn) {
      const waiting = this.#asked;
      this.#asked = null;
      this.#tools = goesOn.tools;
      waiting?.answer(goesOn.results);
    }
    try {
      const [asked, episode] = await Promise.race([
        stopped.then((calls) => [calls, null] as const),
        this.#ended.then((whole) => [null, whole] as const),
      ]);
      const before = this.#told;
      const spoken = this.#spoken.slice(before);
      this.#told = this.#spoken.length;
      // An episode's own list does not depend on who was faster.
      const said = episode?.utterances.slice(before).map((each) => saidBy(each.agent, each.text, each.writtenTokens));
      return {
        asked,
        episode,
        said: said ?? spoken.map((each) => each.said),
        calls: spoken.map(({ call }) => call),
        ledger: episode?.ledger.calls ?? this.#spoken.map(({ call }) => call),
      };
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  /** Nobody waits for it any more. */
  end(): void {
    this.#controller.abort();
  }

  #topologyOf({ topology, tools: format }: ServedTeam, offer: Offer | null): ServedTeam["topology"] {
    if (!offer || !format) return topology;
    return inEnvironment(
      topology,
      callerTools({
        format,
        offered: (agent) => (offer.agents.includes(agent) ? this.#tools : []),
        ask: (asked) =>
          new Promise((answer, reject) => {
            const gone = (): void => reject(new LaconicError("aborted", "nobody answers its calls any more"));
            this.#controller.signal.addEventListener("abort", gone, { once: true });
            this.#asked = { asked, answer };
            this.#stop(asked);
          }),
      }),
    );
  }

  /** The same models, which tell of each reply when it is whole. */
  #heard({ name, models }: ServedTeam, offer: Offer | null): Readonly<Record<AgentId, LanguageModel>> {
    const listened = (agent: AgentId, model: LanguageModel): LanguageModel => ({
      id: model.id,
      complete: async (request): Promise<Completion> => {
        if (offer?.agents.includes(agent) && request.prompt.kind !== "messages")
          throw invalid(`tools: ${agent} of ${name} reads no chat, so it can be told of no tools`, "tools");
        const completion = await model.complete(request);
        const said = saidBy(agent, completion.text, completion.usage.completionTokens);
        const turn = this.#spoken.length;
        this.#spoken.push({ said, call: { turn, round: 0, agent, ...callTokens(completion.usage), reads: [] } });
        this.#hear(said);
        return completion;
      },
    });
    return Object.fromEntries(Object.entries(models).map(([agent, model]) => [agent, listened(agent, model)]));
  }
}

function saidBy(agent: AgentId, text: string, tokens: number): Said {
  return { agent, text, tokens };
}
