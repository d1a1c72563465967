import type { ChatMessage } from "./language-model.ts";
import type { AgentId, Problem } from "./problem.ts";
import type { Random } from "./numeric/random.ts";

/** A message of an example. One of the assistant's with weight 0 is read and not learned, as in OpenAI's files. */
export interface ExampleMessage extends ChatMessage {
  readonly weight?: 0 | 1;
}

interface ExampleOwner {
  /** Who learns it: the policy that this agent speaks with. All policies where neither is named. */
  readonly agent?: AgentId;
  readonly policy?: string;
  /** Where it is from, for messages: file and row. */
  readonly source?: string;
}

/**
 * What a model is to say, in the forms that data sets have: a chat whose assistant turns are learned, or a prompt with its completion.
 * A completion of messages is learned in its assistant turns.
 */
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
