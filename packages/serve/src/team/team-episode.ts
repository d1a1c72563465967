import {
  LaconicError,
  type AgentId,
  type Completion,
  type Environment,
  type Episode,
  type LanguageModel,
  type LedgerCall,
  type Random,
  type ToolDefinition,
  type ToolFormat,
} from "@laconic/core";
import { callTokens } from "@laconic/core/ledger";
import { inEnvironment } from "@laconic/topologies";
import type { CalledTool } from "../forms.ts";
import { invalid } from "../http.ts";
import { withId } from "../jobs.ts";
import type { ServedTeam } from "../options.ts";
import type { Offer, TeamRequest } from "./team-request.ts";

/** Max texts of an agent in one turn: each call is a request of the caller. */
const maxSteps = 64;

/** Calls of an agent that the caller has to answer. */
export interface AskedCalls {
  readonly agent: AgentId;
  /** Text beside the calls. */
  readonly content: string;
  readonly calls: readonly CalledTool[];
}

/** A message of an agent, as an answer's `laconic` lists it. */
export interface Said {
  readonly agent: AgentId;
  readonly text: string;
  /** Written tokens, the end token included. */
  readonly tokens: number;
}

/** State of an episode at calls, or at its end. */
export interface TeamStop {
  readonly asked: AskedCalls | null;
  readonly episode: Episode | null;
  /** Messages since the last stop. */
  readonly said: readonly Said[];
  /** Calls of models since the last stop. */
  readonly calls: readonly LedgerCall[];
  /** The whole ledger; without reads until the end. */
  readonly ledger: readonly LedgerCall[];
}

/** An episode that stops wherever an agent calls a tool of the caller. */
export class TeamEpisode {
  readonly #controller = new AbortController();
  readonly #ended: Promise<Episode>;
  #tools: readonly ToolDefinition[];
  #spoken: { readonly said: Said; readonly call: LedgerCall }[] = [];
  #onMessage: (said: Said) => void = () => undefined;
  #onCalls: (asked: AskedCalls) => void = () => undefined;
  #asked: { readonly asked: AskedCalls; readonly answer: (texts: readonly string[]) => void } | null = null;
  /** Messages up to the last stop. */
  #told = 0;

  constructor(team: ServedTeam, { problem, sampling, maxTokens, offer }: TeamRequest, random: Random) {
    const { topology, tools: format } = team;
    this.#tools = offer?.tools ?? [];
    const played = offer && format ? inEnvironment(topology, this.#callerTools(format, offer)) : topology;
    this.#ended = played.run(problem, {
      models: this.#listenedModels(team, offer),
      sampling,
      random,
      signal: this.#controller.signal,
      ...(maxTokens !== null && { limits: { maxTokens } }),
    });
    this.#ended.catch(() => undefined); // `advance` reports it
  }

  /** Calls that it waits for; null while it runs. */
  get asked(): AskedCalls | null {
    return this.#asked?.asked ?? null;
  }

  /**
   * Plays until the next stop.
   * @param signal - ends the episode
   * @param resumed - answers of the calls that it waits for, in their order, and the tools from now on
   * @throws what the episode throws
   */
  async advance(
    signal: AbortSignal,
    onMessage: (said: Said) => void,
    resumed?: { readonly results: readonly string[]; readonly tools: readonly ToolDefinition[] },
  ): Promise<TeamStop> {
    const end = (): void => this.end();
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
    this.#onMessage = onMessage;
    const stopped = new Promise<AskedCalls>((resolve) => (this.#onCalls = resolve));
    if (resumed) {
      const waiting = this.#asked;
      this.#asked = null;
      this.#tools = resumed.tools;
      waiting?.answer(resumed.results);
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
      const said = episode?.utterances
        .slice(before)
        .map(({ agent, text, writtenTokens }): Said => ({ agent, text, tokens: writtenTokens }));
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

  end(): void {
    this.#controller.abort();
  }

  /** The caller's tools as an environment. */
  #callerTools(format: ToolFormat, { agents }: Offer): Environment {
    const { signal } = this.#controller;
    // A later request may offer other tools.
    const toolsOf = (agent: AgentId): readonly ToolDefinition[] => (agents.includes(agent) ? this.#tools : []);
    return {
      name: "the caller's tools",
      format,
      maxSteps,
      // A reply holds the calls of one agent.
      concurrent: false,
      tools: toolsOf,
      reset: () => null,
      step: async (_, { agent, text, calls, step }) => {
        if (calls.length === 0 || toolsOf(agent).length === 0 || step + 1 >= maxSteps) return {};
        const asked = { agent, content: format.read(text).content, calls: calls.map(withId) };
        const observation = await new Promise<readonly string[]>((answer, reject) => {
          const gone = (): void => reject(new LaconicError("aborted", "nobody answers its calls any more"));
          signal.addEventListener("abort", gone, { once: true });
          this.#asked = { asked, answer };
          this.#onCalls(asked);
        });
        return { observation };
      },
    };
  }

  /** The same models, with a listener for each whole reply. */
  #listenedModels({ name, models }: ServedTeam, offer: Offer | null): Readonly<Record<AgentId, LanguageModel>> {
    const listened = (agent: AgentId, model: LanguageModel): LanguageModel => ({
      id: model.id,
      complete: async (request): Promise<Completion> => {
        if (offer?.agents.includes(agent) && request.prompt.kind !== "messages")
          throw invalid(`tools: ${agent} of ${name} reads no chat, so it can be told of no tools`, "tools");
        const completion = await model.complete(request);
        const { text, usage } = completion;
        const said = { agent, text, tokens: usage.completionTokens };
        const turn = this.#spoken.length;
        this.#spoken.push({ said, call: { turn, round: 0, agent, ...callTokens(usage), reads: [] } });
        this.#onMessage(said);
        return completion;
      },
    });
    return Object.fromEntries(Object.entries(models).map(([agent, model]) => [agent, listened(agent, model)]));
  }
}
