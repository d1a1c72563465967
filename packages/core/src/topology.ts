import type { Environment, PlayedEnvironment } from "./environment.ts";
import type { Episode } from "./episode/episode.ts";
import type { LanguageModel, SamplingSettings } from "./language-model.ts";
import type { Learned } from "./rules.ts";
import type { AgentId, Problem } from "./problem.ts";
import type { Random } from "./numeric/random.ts";
import { group, shapes, type GroupShape } from "./shapes/shape.ts";

/** Ceilings of one episode; reaching one ends it with a counted stop reason. */
export interface EpisodeLimits {
  readonly maxTurns?: number;
  /** Of the whole team. */
  readonly maxTokens?: number;
  /** Of each agent over the episode: one that has spent it is left out, and the episode counts as `token_limit`. */
  readonly maxTokensPerAgent?: number;
  /** Wall clock of the whole episode; the turns in flight are left. */
  readonly maxSeconds?: number;
  /** Wall clock of one turn. */
  readonly maxSecondsPerTurn?: number;
}

/** What limits may be. */
export const episodeLimitsShape: GroupShape<EpisodeLimits> = group<EpisodeLimits>({
  maxTurns: { help: "Turns of an episode", shape: shapes.positive, optional: true },
  maxTokens: { help: "Tokens of an episode, all agents together", shape: shapes.positive, optional: true },
  maxTokensPerAgent: { help: "Tokens of one agent", shape: shapes.positive, optional: true },
  maxSeconds: { help: "Seconds of an episode", shape: shapes.above0, optional: true },
  maxSecondsPerTurn: { help: "Seconds of a turn", shape: shapes.above0, optional: true },
});

/** The tokens that a team is to write per episode. */
export interface EpisodeBudget {
  /** B of Eq. 5: a mean over episodes, end tokens included. */
  readonly targetTokens: number;
}

/** What an episode runs on. The random stream is the episode's own: each turn draws from a labelled split of it. */
export interface EpisodeContext {
  readonly models: Readonly<Record<AgentId, LanguageModel>>;
  readonly sampling: Omit<SamplingSettings, "maxTokens"> & { readonly maxTokens?: number };
  readonly random: Random;
  readonly limits?: EpisodeLimits;
  /** What agents may be shown of it: no more than that. Limits bind, and a price steers. */
  readonly budget?: EpisodeBudget;
  /** What agents act on: `speak` lets it answer what they write. */
  readonly environment?: PlayedEnvironment;
  /** What an observation becomes before it is read, by its reader and its position among the reader's: for measurements. */
  readonly alterObservation?: (text: string, agent: AgentId, position: number) => string;
  /** Of the run whose team this is; absent outside of runs, and with the weights that a run began with. */
  readonly learned?: Learned;
  readonly signal?: AbortSignal;
  /** Monotonic milliseconds: the ledger's calls then say how long they took. */
  readonly clock?: () => number;
  /** What a model's error does: reach the caller, or end the episode as `error` with what was said. Default `throw`. */
  readonly onError?: "throw" | "end";
}

/** Who speaks, who listens, who answers. */
export interface Topology {
  readonly name: string;
  readonly agents: readonly AgentId[];
  /** Who gives the answer; absent where a program finds it as it goes. */
  readonly answerers?: readonly AgentId[];
  /** What its agents act on in every episode. */
  readonly environment?: Environment;
  run(problem: Problem, context: EpisodeContext): Promise<Episode>;
}
