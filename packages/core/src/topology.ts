import type { Environment, PlayedEnvironment } from "./environment.ts";
import type { Episode } from "./episode/episode.ts";
import type { LanguageModel, SamplingSettings } from "./language-model.ts";
import type { Learned } from "./rules.ts";
import type { AgentId, Problem } from "./problem.ts";
import type { Random } from "./numeric/random.ts";
import { group, type GroupShape } from "./shapes/shape.ts";

/** Limits of an episode, which then ends with a counted stop reason. */
export interface EpisodeLimits {
  readonly maxTurns?: number;
  /** Max tokens of the team. */
  readonly maxTokens?: number;
  /** Max tokens per agent. Agents beyond it are skipped, and the episode counts as `token_limit`. */
  readonly maxTokensPerAgent?: number;
  /** Wall-clock limit of the episode; running turns are dropped. */
  readonly maxSeconds?: number;
  /** Wall-clock limit of a turn. */
  readonly maxSecondsPerTurn?: number;
}

/** Shape of {@link EpisodeLimits}. */
export const episodeLimitsShape: GroupShape<EpisodeLimits> = group<EpisodeLimits>({
  maxTurns: { help: "Turns of an episode", shape: "positive", optional: true },
  maxTokens: { help: "Tokens of an episode, all agents together", shape: "positive", optional: true },
  maxTokensPerAgent: { help: "Tokens of one agent", shape: "positive", optional: true },
  maxSeconds: { help: "Seconds of an episode", shape: "above0", optional: true },
  maxSecondsPerTurn: { help: "Seconds of a turn", shape: "above0", optional: true },
});

/** Token budget of a team per episode. */
export interface EpisodeBudget {
  /** B of Eq. 5: mean over episodes, with end tokens. */
  readonly targetTokens: number;
}

/** Inputs of an episode. Each turn draws from a labelled split of the random stream. */
export interface EpisodeContext {
  readonly models: Readonly<Record<AgentId, LanguageModel>>;
  readonly sampling: Omit<SamplingSettings, "maxTokens"> & { readonly maxTokens?: number };
  readonly random: Random;
  readonly limits?: EpisodeLimits;
  /** Only shown to agents; `limits` are enforced. */
  readonly budget?: EpisodeBudget;
  /** Set in evaluations and for users' questions, where AgentPO's critic has other published prompts. */
  readonly isEvaluation?: boolean;
  readonly environment?: PlayedEnvironment;
  /** Changes an observation before it is read, by reader and its index for the reader, for measurements. */
  readonly alterObservation?: (text: string, agent: AgentId, position: number) => string;
  /** Missing outside of runs and with initial weights. */
  readonly learned?: Learned;
  readonly signal?: AbortSignal;
  /** Monotonic milliseconds, to time the ledger's calls. */
  readonly clock?: () => number;
  /** `end` ends the episode as `error` with its utterances so far. Default `throw`. */
  readonly onError?: "throw" | "end";
}

/** Communication graph: speakers, readers and answering agents. */
export interface Topology {
  readonly name: string;
  readonly agents: readonly AgentId[];
  /** Answering agents; missing if a program decides. */
  readonly answerers?: readonly AgentId[];
  readonly environment?: Environment;
  run(problem: Problem, context: EpisodeContext): Promise<Episode>;
}
