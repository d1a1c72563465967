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
  /** Of each agent: one that has spent it is left out, and the episode counts as `token_limit`. */
  readonly maxTokensPerAgent?: number;
  /** Wall clock of the episode; running turns are dropped. */
  readonly maxSeconds?: number;
  /** Wall clock of one turn. */
  readonly maxSecondsPerTurn?: number;
}

/** Shape of {@link EpisodeLimits}. */
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

/** Inputs of an episode. Each turn draws from a labelled split of the random stream. */
export interface EpisodeContext {
  readonly models: Readonly<Record<AgentId, LanguageModel>>;
  readonly sampling: Omit<SamplingSettings, "maxTokens"> & { readonly maxTokens?: number };
  readonly random: Random;
  readonly limits?: EpisodeLimits;
  /** Shown to agents at most: limits bind, prices steer. */
  readonly budget?: EpisodeBudget;
  /** Answers what agents write. */
  readonly environment?: PlayedEnvironment;
  /** Changes an observation before it is read, by reader and position among the reader's, for measurements. */
  readonly alterObservation?: (text: string, agent: AgentId, position: number) => string;
  /** Absent outside of runs and with initial weights. */
  readonly learned?: Learned;
  readonly signal?: AbortSignal;
  /** Monotonic milliseconds, to time the ledger's calls. */
  readonly clock?: () => number;
  /** `end` ends the episode as `error` with what was said. Default `throw`. */
  readonly onError?: "throw" | "end";
}

/** Who speaks, who listens, who answers. */
export interface Topology {
  readonly name: string;
  readonly agents: readonly AgentId[];
  /** Answering agents; absent if a program decides. */
  readonly answerers?: readonly AgentId[];
  /** What its agents act on in every episode. */
  readonly environment?: Environment;
  run(problem: Problem, context: EpisodeContext): Promise<Episode>;
}
