import type { ChatMessage } from "./language-model.ts";
import type { AgentId, Problem } from "./problem.ts";
import type { Random } from "./numeric/random.ts";

/** A tool as a model is told of it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema. */
  readonly parameters?: unknown;
}

/** A call as a model writes it. */
export interface WrittenCall {
  readonly name: string;
  /** A JSON object. */
  readonly arguments: string;
}

/** A chat message that may call tools. */
export type ToolMessage =
  | ChatMessage
  | { readonly role: "assistant"; readonly content: string; readonly calls: readonly WrittenCall[] };

/** Calls of a reply, and its other text. */
export interface ReadCalls {
  readonly content: string;
  readonly calls: readonly WrittenCall[];
  /** Number of calls that cannot be read; their text stays content. Default 0. */
  readonly malformed?: number;
}

/** How a model was trained to call tools: writes chats with calls for its template, reads calls from its replies. */
export interface ToolFormat {
  readonly name: string;
  /** @param tools - listed for the model; none by default */
  write(messages: readonly ToolMessage[], tools: readonly ToolDefinition[]): ChatMessage[];
  /** Text that is no call as the format has it stays content. */
  read(text: string): ReadCalls;
}

/** What an agent wrote, as its environment gets it. */
export interface EnvironmentAction {
  readonly agent: AgentId;
  readonly text: string;
  /** Read by the environment's format; empty without one. */
  readonly calls: readonly WrittenCall[];
  /** Number of calls that the format could not read. Default 0. */
  readonly malformed?: number;
  /** Steps of this turn before, from 0. */
  readonly step: number;
}

/** Reward of a step: of the team, or of agents by id, including agents that did not act. */
export type StepReward = number | Readonly<Record<AgentId, number>>;

/** What an environment answers. */
export interface EnvironmentStep {
  /** What the agent reads next; several texts answer parallel calls. Absent at the end of its turn. */
  readonly observation?: string | readonly string[];
  readonly reward?: StepReward;
  /** Ends the episode with this turn. */
  readonly done?: boolean;
}

/** What an environment gets with every call. */
export interface EnvironmentContext {
  /** Aborted when the answer is no longer needed. */
  readonly signal?: AbortSignal;
  /** A stream of the episode, different for each step. */
  readonly random: Random;
  /** Adds to a measure of the episode, by default 1; episodes without it count as 0. */
  record(name: string, amount?: number): void;
}

/** What agents act on, with a state per episode. */
export interface Environment<State = unknown> {
  readonly name: string;
  reset(problem: Problem, context: EnvironmentContext): State | Promise<State>;
  /** Mistakes of a model are observations; a thrown error ends the episode. */
  step(
    state: State,
    action: EnvironmentAction,
    context: EnvironmentContext,
  ): EnvironmentStep | Promise<EnvironmentStep>;
  /** Releases the state of an episode. */
  end?(state: State): void | Promise<void>;
  readonly format?: ToolFormat;
  /** Tools of an agent; its prompt lists them if the format does. */
  tools?(agent: AgentId): readonly ToolDefinition[];
  /** An observation as tokens, for prompts of tokens and texts of local policies. */
  encode?(observation: string): readonly number[];
  /** Max texts of an agent per turn. Default 8. */
  readonly maxSteps?: number;
  /** Steps of agents that speak at once are independent. Default false: they act one after the other. */
  readonly concurrent?: boolean;
}

/** An environment in an episode. */
export interface PlayedEnvironment {
  readonly environment: Environment;
  /** Agents that may earn a reward. */
  readonly agents: readonly AgentId[];
  readonly state: unknown;
  readonly random: Random;
  record(name: string, amount?: number): void;
  /** Replaces an observation before it is read, for measurements; otherwise returns it unchanged. */
  alter(text: string, agent: AgentId): string;
}

/** What an environment answered in an episode. */
export interface Observation {
  /** Turn of the answered utterance. */
  readonly turn: number;
  readonly agent: AgentId;
  /** Empty where nothing was read. */
  readonly text: string;
  /** Tokens of the reader's next prompt beyond its last prompt and reply; 0 if nothing was read. */
  readonly tokens: number;
  /** The chat template changed earlier text, so the next prompt does not begin with the last one. */
  readonly rewritten?: true;
  readonly reward?: StepReward;
}
