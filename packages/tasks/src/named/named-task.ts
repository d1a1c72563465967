import * as z from "zod";
import type { TeamTask } from "../task.ts";
import type { TaskResources } from "../task-resources.ts";

/** The setting by which a task is chosen. */
export function taskNamed<const Name extends string>(name: Name): z.ZodLiteral<Name> {
  return z.literal(name).describe("Which task");
}

/** The length of replies, where a task lets one set it. */
export function replyTokens(tokens: number): z.ZodDefault<z.ZodInt> {
  return z.int().min(1).default(tokens).describe("Tokens that a reply may have");
}

/** A task that has a name: what its settings may be, and how they become a task. */
export interface NamedTask<Settings> {
  readonly schema: z.ZodType<Settings>;
  /** What results call it: `relay/one-fact`, `benchmark/gsm8k/hint`. */
  title(settings: Settings): string;
  /** Two sentences for whoever reads its conversations: who knows and hears what, and when the team is right. */
  about(settings: Settings): string;
  /** The world in whose words its prompts are written, so that a policy must have learned them; absent: any language model reads them. */
  world?(settings: Settings): string;
  /** Whether some of its agents do not learn; absent: all do. */
  hasFrozenAgents?(settings: Settings): boolean;
  /** Its episodes come from outside, with their rewards: it trains by `laconic serve --train` alone. */
  readonly isServed?: true;
  open(settings: Settings, resources: TaskResources): TeamTask | Promise<TeamTask>;
  /** The settings with which the same data are opened again, such as the commit of a data set of the hub. */
  pin?(settings: Settings, resources: Pick<TaskResources, "data">): Promise<Settings>;
}
