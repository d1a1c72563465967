import * as z from "zod";
import type { RelayCriticOptions, RelayHintOptions } from "../relay/actor-tasks.ts";
import type { RelayTaskOptions } from "../relay/task.ts";
import type { WritersParts } from "../relay/pair-task.ts";
import type { TellerOptions } from "../stories/teller-team.ts";
import type { TeamTask } from "../task.ts";
import type { TaskResources } from "../task-resources.ts";
import type { BenchmarkTaskSettings, DataTaskSettings } from "../text/benchmark-task.ts";
import type { CodeOptions, WritingOptions } from "../text/pair-tasks.ts";

/** Limits of an external program's rollouts. */
export interface GatewayLimitSettings {
  /** Includes waiting ones. Default 1,024. */
  readonly maxOpen?: number;
  /** Default 256. */
  readonly maxCalls?: number;
  /** Prompt and reply tokens per rollout. Default 262,144. */
  readonly maxTokens?: number;
  /** Idle seconds until a rollout is dropped. Default 600. */
  readonly rolloutSeconds?: number;
  /** Seconds to wait for missing members. Default 600. */
  readonly groupSeconds?: number;
  /** Seconds without requests before one extra group may start. Default 30. */
  readonly stalledSeconds?: number;
}

/** External program that reports rewards. */
export interface GatewayOptions {
  /** Model names in requests. */
  readonly agents: readonly string[];
  /** Played by the actor. Default none. */
  readonly frozen?: readonly string[];
  /** A prompt with other tokens for an earlier reply starts a new sequence (`branch`, default) or is refused. */
  readonly rerendered?: "branch" | "refuse";
  /** Another temperature becomes the run's (`run`, default) or is refused. */
  readonly otherSampling?: "run" | "refuse";
  /** Prompts list a request's tools (`told`, default) or not; `none` refuses tools. */
  readonly tools?: "told" | "untold" | "none";
  readonly limits?: GatewayLimitSettings;
}

interface TaskOptions {
  /** Holders have private facts; a solver adds two of them. */
  readonly relay: Pick<RelayTaskOptions, "level">;
  /** A policy writes hints for a frozen actor. */
  readonly "relay-hint": RelayHintOptions;
  /** A policy comments on the drafts of a frozen actor. */
  readonly "relay-critic": RelayCriticOptions;
  /** Two policies share one reward. */
  readonly "relay-writers": { readonly parts?: WritersParts };
  /** Two policies share one reward; two turns with external feedback. */
  readonly "relay-feedback": object;
  /** One of two to five tellers knows the answer; the others learn silence. */
  readonly "story-tellers": TellerOptions;
  readonly benchmark: BenchmarkTaskSettings;
  readonly data: DataTaskSettings;
  readonly writing: WritingOptions;
  readonly code: CodeOptions;
  readonly gateway: GatewayOptions;
}

/** Name of a task. */
export type TaskName = keyof TaskOptions;

/** Configuration settings of the named task. */
export type SettingsOf<Name extends TaskName> = { readonly name: Name } & Readonly<
  Omit<TaskOptions[Name], "testProblems" | "tokenizer">
>;

/** Settings of any task. */
export type TaskSettings = { [Name in TaskName]: SettingsOf<Name> }[TaskName];

/** Named task with its settings schema. */
export interface NamedTask<Settings> {
  readonly schema: z.ZodType<Settings>;
  /** Name in results. Default: the task's name. */
  title?(settings: Settings): string;
  /** Describes what each agent sees, and when the team is right. */
  about(settings: Settings): string;
  /** World whose vocabulary the prompts use. Absent: any language model fits. */
  world?(settings: Settings): string;
  /** Default false. */
  hasFrozenAgents?(settings: Settings): boolean;
  /** Trained only by `laconic serve --train`. */
  readonly isServed?: true;
  open(settings: Settings, resources: TaskResources): TeamTask | Promise<TeamTask>;
  pin?(settings: Settings, resources: Pick<TaskResources, "data">): Promise<Settings>;
}

export type NamedTasks<Names extends TaskName = TaskName> = { readonly [Name in Names]: NamedTask<SettingsOf<Name>> };

export function settings<const Name extends TaskName, Shape extends z.core.$ZodLooseShape>(
  name: Name,
  fields: Shape,
): z.ZodObject<Shape & { name: z.ZodLiteral<Name> }, z.core.$strict> {
  return z.strictObject({ name: z.literal(name).describe("Which task"), ...fields }) as never;
}

export function tokens(value: number, description: string, most?: number): z.ZodDefault<z.ZodInt> {
  const count = z.int().min(1);
  return (most === undefined ? count : count.max(most)).default(value).describe(description);
}

export function replyTokens(value: number): z.ZodDefault<z.ZodInt> {
  return tokens(value, "Max reply length in tokens");
}
