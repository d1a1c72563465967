import type { ChatMessage } from "./language-model.ts";
import type { AgentId, Problem } from "./problem.ts";
import type { Random } from "./numeric/random.ts";

/** Weight 0 excludes an assistant message from training, as in OpenAI's files. */
export interface ExampleMessage extends ChatMessage {
  readonly weight?: 0 | 1;
}

interface ExampleOwner {
  /** Agent whose policy learns it. Default: all. */
  readonly agent?: AgentId;
  readonly policy?: string;
  readonly source?: string;
}

/** A chat whose assistant turns are learned, or a prompt with its completion. */
export type SupervisedExample = ExampleOwner &
  (
    | { readonly messages: readonly ExampleMessage[] }
    | { readonly prompt: string; readonly completion: string }
    | { readonly prompt: readonly ExampleMessage[]; readonly completion: readonly ExampleMessage[] }
  );

/** Examples of a training problem. Pure: only `random` is drawn from. */
export type ExampleFunction = (problem: Problem, random: Random) => SupervisedExample | readonly SupervisedExample[];

/** Custom examples: a list or a function. */
export type SupervisedExamples = readonly SupervisedExample[] | ExampleFunction;
