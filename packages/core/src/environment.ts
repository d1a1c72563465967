import type { ChatMessage } from "./language-model.ts";
import type { AgentId, Problem } from "./problem.ts";
import type { Random } from "./numeric/random.ts";

/** Tool description for a model. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: unknown;
}

/** Tool call of a model. */
export interface WrittenCall {
  readonly name: string;
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
  /** Unreadable calls; their text stays in `content`. Default 0. */
  readonly malformed?: number;
}

/** Tool call format of a model. */
export interface ToolFormat {
  readonly name: string;
  write(messages: readonly ToolMessage[], tools: readonly ToolDefinition[]): ChatMessage[];
  read(text: string): ReadCalls;
}

/** An agent's reply. */
export interface EnvironmentAction {
  readonly agent: AgentId;
  readonly text: string;
  readonly calls: readonly WrittenCall[];
  /** Default 0. */
  readonly malformed?: number;
  /** Steps of this turn before, from 0. */
  readonly step: number;
}

/** Reward of a step: of the team, or by agent id. */
export type StepReward = number | Readonly<Record<AgentId, number>>;

/** Result of an environment step. */
export interface EnvironmentStep {
  /** A list answers parallel calls; missing at the end of the turn. */
  readonly observation?: string | readonly string[];
  readonly reward?: StepReward;
  readonly done?: boolean;
}

/** Context of every environment call. */
export interface EnvironmentContext {
  readonly signal?: AbortSignal;
  readonly random: Random;
  /** Adds to a measure, by default 1; 0 for episodes without it. */
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
  tools?(agent: AgentId): readonly ToolDefinition[];
  /** Encodes for token prompts and texts of local policies. */
  encode?(observation: string): readonly number[];
  /** Replies of an agent per turn. Default 8. */
  readonly maxSteps?: number;
  /** Whether simultaneous speakers are independent. Default false: they run in sequence. */
  readonly concurrent?: boolean;
}

/** Environment in an episode. */
export interface PlayedEnvironment {
  readonly environment: Environment;
  readonly agents: readonly AgentId[];
  readonly state: unknown;
  readonly random: Random;
  record(name: string, amount?: number): void;
  /** Replaces an observation, for measurements. */
  alter(text: string, agent: AgentId): string;
}

/** Environment output in an episode. */
export interface Observation {
  readonly turn: number;
  readonly agent: AgentId;
  readonly text: string;
  /** Tokens beyond the reader's last prompt and reply; 0 if nothing was read. */
  readonly tokens: number;
  /** The chat template changed earlier text. */
  readonly rewritten?: true;
  readonly reward?: StepReward;
}
