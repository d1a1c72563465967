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
  /** Number of calls that begin as the format has it and cannot be read; their text stays content. Default 0. */
  readonly malformed?: number;
}

/** How a model was taught to call tools: chats with them as chats that a template takes, and calls found in what it writes. */
export interface ToolFormat {
  readonly name: string;
  /** @param tools - to tell the model of; empty tells it nothing */
  write(messages: readonly ToolMessage[], tools: readonly ToolDefinition[]): ChatMessage[];
  /** Text that is no call as the format has it stays content. */
  read(text: string): ReadCalls;
}

/** What an agent wrote, as its environment gets it. */
export interface EnvironmentAction {
  readonly agent: AgentId;
  readonly text: string;
  /** Found by the environment's format; none without one. */
  readonly calls: readonly WrittenCall[];
  /** Number of calls that the format could not read. Default 0. */
  readonly malformed?: number;
  /** Steps of this turn before, from 0. */
  readonly step: number;
}

/** What a step earned: the whole team, or single agents by id, also those who did not act. */
export type StepReward = number | Readonly<Record<AgentId, number>>;

/** What an environment answers. */
export interface EnvironmentStep {
  /** What the agent reads next; several texts answer parallel calls. Absent if its turn is over. */
  readonly observation?: string | readonly string[];
  /** Earned by this step: a number by the team, a record by each agent that it names. */
  readonly reward?: StepReward;
  /** Ends the episode with this turn. */
  readonly done?: boolean;
}

/** What an environment gets with every call. */
export interface EnvironmentContext {
  /** Aborted when the answer is no longer needed. */
  readonly signal?: AbortSignal;
  /** A stream of the episode, another one for each step. */
  readonly random: Random;
  /** Adds to a count of the episode, 1 by default: the reward's measures have it, and an episode without it counts as 0. */
  record(name: string, amount?: number): void;
}

/** What agents act on: a state per episode, and what becomes of it. */
export interface Environment<State = unknown> {
  readonly name: string;
  reset(problem: Problem, context: EnvironmentContext): State | Promise<State>;
  /** Errors of a model's own are observations; what is thrown ends the episode. */
  step(
    state: State,
    action: EnvironmentAction,
    context: EnvironmentContext,
  ): EnvironmentStep | Promise<EnvironmentStep>;
  /** Ends what an episode's state holds. */
  end?(state: State): void | Promise<void>;
  /** How agents call tools. */
  readonly format?: ToolFormat;
  /** What an agent may call: its prompt says so where the format does. */
  tools?(agent: AgentId): readonly ToolDefinition[];
  /** An observation as tokens, for prompts of tokens and texts of local policies. */
  encode?(observation: string): readonly number[];
  /** Most texts that an agent writes in one turn. Default 8. */
  readonly maxSteps?: number;
  /** Steps of agents that speak at once do not affect each other. Default false: they act one after the other. */
  readonly concurrent?: boolean;
}

/** An environment in an episode. */
export interface PlayedEnvironment {
  readonly environment: Environment;
  /** Of the team: who may earn a reward. */
  readonly agents: readonly AgentId[];
  readonly state: unknown;
  readonly random: Random;
  record(name: string, amount?: number): void;
  /** Replaces an observation before it is read, for measurements; returns the text unchanged otherwise. */
  alter(text: string, agent: AgentId): string;
}

/** What an environment answered in an episode. */
export interface Observation {
  /** The turn of the utterance that it answers. */
  readonly turn: number;
  /** Who acted, and reads it. */
  readonly agent: AgentId;
  /** Empty where nothing was read. */
  readonly text: string;
  /** What the reader's next prompt has beyond its last one and its reply; 0 where nothing was read. */
  readonly tokens: number;
  /** The chat template changed earlier text, so the next prompt does not begin with the last one. */
  readonly rewritten?: true;
  /** Of the step; absent without one. */
  readonly reward?: StepReward;
}
