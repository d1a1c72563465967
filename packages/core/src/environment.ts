import type { ChatMessage } from "./language-model.ts";
import type { AgentId, Problem } from "./problem.ts";
import type { Random } from "./numeric/random.ts";

/** Tool description for a model. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema. */
  readonly parameters?: unknown;
}

/** Tool call written by a model. */
export interface WrittenCall {
  readonly name: string;
  /** JSON object. */
  readonly arguments: string;
}

/** Chat message with optional tool calls. */
export type ToolMessage =
  | ChatMessage
  | { readonly role: "assistant"; readonly content: string; readonly calls: readonly WrittenCall[] };

/** Tool calls and other text of a reply. */
export interface ReadCalls {
  readonly content: string;
  readonly calls: readonly WrittenCall[];
  /** Number of unreadable calls; their text stays in `content`. Default 0. */
  readonly malformed?: number;
}

/** Tool call format of a model: writes chats with calls for its template, reads calls from replies. */
export interface ToolFormat {
  readonly name: string;
  /** @param tools - tools to list for the model */
  write(messages: readonly ToolMessage[], tools: readonly ToolDefinition[]): ChatMessage[];
  /** Text that is not a valid call stays in `content`. */
  read(text: string): ReadCalls;
}

/** An agent's reply, as input of its environment. */
export interface EnvironmentAction {
  readonly agent: AgentId;
  readonly text: string;
  /** Parsed by the environment's format; empty without one. */
  readonly calls: readonly WrittenCall[];
  /** Number of unreadable calls. Default 0. */
  readonly malformed?: number;
  /** Earlier steps of this turn, from 0. */
  readonly step: number;
}

/** Reward of a step: of the team, or by agent id, including agents that did not act. */
export type StepReward = number | Readonly<Record<AgentId, number>>;

/** Result of an environment step. */
export interface EnvironmentStep {
  /** Next input of the agent; a list answers parallel calls. Missing at the end of the turn. */
  readonly observation?: string | readonly string[];
  readonly reward?: StepReward;
  readonly done?: boolean;
}

/** Context of every environment call. */
export interface EnvironmentContext {
  readonly signal?: AbortSignal;
  /** Random stream, different for each step. */
  readonly random: Random;
  /** Adds to a measure of the episode, by default 1; 0 for episodes without it. */
  record(name: string, amount?: number): void;
}

/** Environment with a state per episode. */
export interface Environment<State = unknown> {
  readonly name: string;
  reset(problem: Problem, context: EnvironmentContext): State | Promise<State>;
  /** Return model mistakes as observations; a thrown error ends the episode. */
  step(
    state: State,
    action: EnvironmentAction,
    context: EnvironmentContext,
  ): EnvironmentStep | Promise<EnvironmentStep>;
  end?(state: State): void | Promise<void>;
  readonly format?: ToolFormat;
  /** Tools of an agent; listed in its prompt if the format does. */
  tools?(agent: AgentId): readonly ToolDefinition[];
  /** Encodes an observation for token prompts and texts of local policies. */
  encode?(observation: string): readonly number[];
  /** Max replies of an agent per turn. Default 8. */
  readonly maxSteps?: number;
  /** Whether steps of simultaneous speakers are independent. Default false: they run in sequence. */
  readonly concurrent?: boolean;
}

/** Environment in an episode. */
export interface PlayedEnvironment {
  readonly environment: Environment;
  readonly agents: readonly AgentId[];
  readonly state: unknown;
  readonly random: Random;
  record(name: string, amount?: number): void;
  /** Replaces an observation before it is read, for measurements. */
  alter(text: string, agent: AgentId): string;
}

/** Environment output in an episode. */
export interface Observation {
  /** Turn of the answered utterance. */
  readonly turn: number;
  readonly agent: AgentId;
  /** Empty if nothing was read. */
  readonly text: string;
  /** Tokens of the reader's next prompt beyond its last prompt and reply; 0 if nothing was read. */
  readonly tokens: number;
  /** The chat template changed earlier text, so the next prompt does not extend the last one. */
  readonly rewritten?: true;
  readonly reward?: StepReward;
}
