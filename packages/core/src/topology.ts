import type { Episode } from "./episode.ts";
import type { LanguageModel, SamplingSettings } from "./language-model.ts";
import type { AgentId, Problem } from "./problem.ts";
import type { Random } from "./random.ts";

/** Ceilings of one episode; reaching one ends it with a counted stop reason. */
export interface EpisodeLimits {
  readonly maxTurns?: number;
  readonly maxTokens?: number;
  /** Wall clock of the whole episode; the turns in flight are left. */
  readonly maxSeconds?: number;
  /** Wall clock of one turn. */
  readonly maxSecondsPerTurn?: number;
}

/** What an episode runs on. The random stream is the episode's own: each turn draws from a labelled split of it. */
export interface EpisodeContext {
  readonly models: Readonly<Record<AgentId, LanguageModel>>;
  readonly sampling: Omit<SamplingSettings, "maxTokens"> & { readonly maxTokens?: number };
  readonly random: Random;
  readonly limits?: EpisodeLimits;
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
  run(problem: Problem, context: EpisodeContext): Promise<Episode>;
}
