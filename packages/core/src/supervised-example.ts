import type { ChatMessage } from "./language-model.ts";
import type { AgentId, Problem } from "./problem.ts";
import type { Random } from "./numeric/random.ts";

/** A message of an example. Weight 0 excludes an assistant message from learning, as in OpenAI's files. */
export interface ExampleMessage extends ChatMessage {
  readonly weight?: 0 | 1;
}

interface ExampleOwner {
  /** The agent whose policy learns it; all policies without `agent` and `policy`. */
  readonly agent?: AgentId;
  readonly policy?: string;
  /** Source in messages: file and row. */
  readonly source?: string;
}

/** A training example in the common forms of data sets: a chat whose assistant turns are learned, or a prompt with its completion. */
export type SupervisedExample = ExampleOwner &
  (
    | { readonly messages: readonly ExampleMessage[] }
    | { readonly prompt: string; readonly completion: string }
    | { readonly prompt: readonly ExampleMessage[]; readonly completion: readonly ExampleMessage[] }
  );

/** Makes examples of a training problem. Pure: it draws from `random` alone. */
export type ExampleFunction = (problem: Problem, random: Random) => SupervisedExample | readonly SupervisedExample[];

/** Custom examples: a list, or a function that makes them. */
export type SupervisedExamples = readonly SupervisedExample[] | ExampleFunction;
