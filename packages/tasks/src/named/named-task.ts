import type { DataSettings } from "@laconic/benchmarks";
import * as z from "zod";
import type { RelayCriticOptions, RelayHintOptions } from "../relay/actor-tasks.ts";
import type { RelayTaskOptions } from "../relay/task.ts";
import type { WritersParts } from "../relay/writers.ts";
import type { StoryBudgetOptions } from "../stories/budget.ts";
import type { StoryHintOptions } from "../stories/hint.ts";
import type { TellerOptions } from "../stories/teller-team.ts";
import type { StoryWritersOptions } from "../stories/writers.ts";
import type { TeamTask } from "../task.ts";
import type { TaskResources } from "../task-resources.ts";
import type { TeamSettings } from "../text/benchmark-team.ts";
import type { CodeOptions, WritingOptions } from "../text/pair-tasks.ts";

/** Limits of an external program's rollouts; each has a default. */
export interface GatewayLimitSettings {
  /** Open rollouts, those that wait to begin included. Default 1,024. */
  readonly maxOpen?: number;
  /** Requests per rollout. Default 256. */
  readonly maxCalls?: number;
  /** Tokens of all prompts and replies of one rollout. Default 262,144. */
  readonly maxTokens?: number;
  /** Seconds without a request after which a rollout is dropped. Default 600. */
  readonly rolloutSeconds?: number;
  /** Seconds that a group waits for its last members. Default 600. */
  readonly groupSeconds?: number;
  /** Seconds without a request of any open rollout after which one more group may begin. Default 30. */
  readonly stalledSeconds?: number;
}

/** Agents of another program, which speak through an endpoint and report their rewards. */
export interface GatewayOptions {
  /** As requests name them in `model`. */
  readonly agents: readonly string[];
  /** Agents that do not learn and speak with the actor; default none. */
  readonly frozen?: readonly string[];
  /** A prompt with other tokens for an earlier reply begins a new sequence (`branch`, the default), or is refused. */
  readonly rerendered?: "branch" | "refuse";
  /** A request for another temperature is answered at the run's (`run`, the default), or refused. */
  readonly otherSampling?: "run" | "refuse";
  /** `told` (default) lists a request's tools to the model; `untold` does not; `none` refuses tools. */
  readonly tools?: "told" | "untold" | "none";
  readonly limits?: GatewayLimitSettings;
}

/** Options by the name of the task. */
interface TaskOptions {
  /** Holders with private facts, a solver that adds two of them up. */
  readonly relay: Pick<RelayTaskOptions, "level">;
  /** A policy writes hints for an actor that does not learn. */
  readonly "relay-hint": RelayHintOptions;
  /** A policy comments on the drafts of an actor that does not learn. */
  readonly "relay-critic": RelayCriticOptions;
  /** Two policies write for one grade. */
  readonly "relay-writers": { readonly parts?: WritersParts };
  /** Two policies write for one grade in two turns, with feedback from outside. */
  readonly "relay-feedback": object;
  /** One tells a story on, one answers from it. */
  readonly "story-relay": TellerOptions;
  /** Of two to five tellers one knows; the others learn to be silent. */
  readonly "story-tellers": TellerOptions;
  /** A helper that sees no more than the frozen actor learns to help it. */
  readonly "story-hint": StoryHintOptions;
  /** Two policies continue one story, for one grade. */
  readonly "story-writers": StoryWritersOptions;
  /** The prompt has a token budget, and the team learns to keep to it. */
  readonly "story-budget": StoryBudgetOptions;
  /** A team on a benchmark's questions. With `file`, its problems replace the training split. */
  readonly benchmark: TeamSettings & { readonly benchmark: string; readonly file?: string };
  /** A team on questions of your own. */
  readonly data: TeamSettings & { readonly data: DataSettings };
  /** Two agents write for one reward of form. */
  readonly writing: WritingOptions;
  /** Two agents write a helper and a main function for one reward. */
  readonly code: CodeOptions;
  /** Agents of another program, which speak through an endpoint and report their rewards. */
  readonly gateway: GatewayOptions;
}

/** The name of a task. */
export type TaskName = keyof TaskOptions;

/** Settings of the task with a name, as a configuration has them. */
export type SettingsOf<Name extends TaskName> = { readonly name: Name } & Readonly<
  Omit<TaskOptions[Name], "testProblems" | "tokenizer">
>;

/** Settings of any task. */
export type TaskSettings = { [Name in TaskName]: SettingsOf<Name> }[TaskName];

/** A task with a name: its settings, and how they become a task. */
export interface NamedTask<Settings> {
  readonly schema: z.ZodType<Settings>;
  /** The name in results: `relay/one-fact`, `benchmark/gsm8k/hint`. Default: its own. */
  title?(settings: Settings): string;
  /** Two sentences for readers of conversations: who knows and reads what, and when the team is right. */
  about(settings: Settings): string;
  /** The world whose vocabulary its prompts use, so that a policy must know it. Absent: any language model reads them. */
  world?(settings: Settings): string;
  /** Whether some of its agents do not learn; default no. */
  hasFrozenAgents?(settings: Settings): boolean;
  /** Its episodes and rewards come from outside: only `laconic serve --train` trains it. */
  readonly isServed?: true;
  open(settings: Settings, resources: TaskResources): TeamTask | Promise<TeamTask>;
  /** The settings that open the same data again, such as the commit of a data set of the hub. */
  pin?(settings: Settings, resources: Pick<TaskResources, "data">): Promise<Settings>;
}

/** Tasks with some of the names. */
export type NamedTasks<Names extends TaskName = TaskName> = { readonly [Name in Names]: NamedTask<SettingsOf<Name>> };

/** The schema of a task's settings. */
export function settings<const Name extends TaskName, Shape extends z.core.$ZodLooseShape>(
  name: Name,
  fields: Shape,
): z.ZodObject<Shape & { name: z.ZodLiteral<Name> }, z.core.$strict> {
  return z.strictObject({ name: z.literal(name).describe("Which task"), ...fields }) as never;
}

/** A number of tokens, at least 1. */
export function tokens(value: number, description: string, most?: number): z.ZodDefault<z.ZodInt> {
  const count = z.int().min(1);
  return (most === undefined ? count : count.max(most)).default(value).describe(description);
}

/** The max length of replies. */
export function replyTokens(value: number): z.ZodDefault<z.ZodInt> {
  return tokens(value, "Tokens that a reply may have");
}
