import {
  LaconicError,
  shownValue,
  type AgentId,
  type Problem,
  type Random,
  type SupervisedExample,
  type SupervisedExamples,
  type TrainingSequence,
} from "@laconic/core";
import { checkedCall } from "@laconic/core/checks";
import type { TrainingTask } from "@laconic/topologies";
import { encodeExample, type ExampleSettings, type ExampleTokenizer } from "./encode-example.ts";
import { parsedExample } from "./example-form.ts";

/** Agents by policy. */
export type Learners = Readonly<Record<string, readonly AgentId[]>>;

/** An endless stream of one policy's examples, which depends on the position and the seed alone. */
export interface ExampleStream {
  /** Sequences of the examples at positions; those of other policies have none. */
  take(from: number, count: number): readonly TrainingSequence[];
  readonly size: ExampleSize | null;
}

export interface ExampleSize {
  readonly examples: number;
  /** Learned tokens. */
  readonly tokens: number;
  /** Learned tokens with their prompts. */
  readonly passed: number;
  /** Largest number of tokens of prompt and completion. */
  readonly longest: number;
}

export interface StreamOptions {
  readonly settings: ExampleSettings;
  readonly tokenizer: ExampleTokenizer;
  readonly contextLength: number;
  readonly learners: Learners;
  /** A name of `learners`; null for a model that all policies begin with. */
  readonly policy: string | null;
  readonly task: Pick<TrainingTask, "name" | "problems" | "pool">;
  readonly random: Random;
}

/**
 * Examples as a policy learns them. A list is shuffled anew for every pass over it; a function makes each example of a problem that is
 * drawn for it. All of a list is read at once, so that what cannot be learned is refused before anything is.
 * @throws LaconicError `data_invalid` naming the example's source, `input_invalid`
 */
export function exampleStream(examples: SupervisedExamples, options: StreamOptions): ExampleStream {
  return typeof examples === "function" ? madeStream(examples, options) : listedStream(examples, options);
}

/**
 * The examples of a list in the field's forms, checked without a tokenizer.
 * @throws LaconicError `data_invalid` for an empty list, a form that is none, and an agent or policy that does not learn
 */
export function checkedExamples(
  list: readonly unknown[],
  settings: Pick<ExampleSettings, "agent">,
  learners: Learners,
): SupervisedExample[] {
  if (list.length === 0) throw new LaconicError("data_invalid", "the list of examples is empty");
  return list.map((value, i) => {
    const { source } = (value ?? {}) as { readonly source?: unknown };
    const example = parsedExample(value, typeof source === "string" ? source : `example ${i + 1}`);
    ownerOf(example, settings, learners);
    return example;
  });
}

function listedStream(list: readonly unknown[], options: StreamOptions): ExampleStream {
  const { settings, learners, random } = options;
  const all = checkedExamples(list, settings, learners)
    .filter((example) => isOwn(example, options))
    .map((example) => encoded(example, options));
  const orders = new Map<number, readonly TrainingSequence[][]>();
  const orderOf = (epoch: number): readonly TrainingSequence[][] => {
    const order = orders.get(epoch) ?? random.split(`epoch:${epoch}`).shuffle(all);
    orders.delete(epoch - 1);
    orders.set(epoch, order);
    return order;
  };
  return {
    size: sizeOf(all),
    take: (from, count) =>
      all.length === 0
        ? []
        : Array.from({ length: count }, (_, i) => {
            const place = from + i;
            return orderOf(Math.floor(place / all.length))[place % all.length] as TrainingSequence[];
          }).flat(),
  };
}

function madeStream(
  make: Extract<SupervisedExamples, (...given: never) => unknown>,
  options: StreamOptions,
): ExampleStream {
  const { task, random } = options;
  const name = `the examples ${make.name}`.trimEnd();
  return {
    size: null,
    take: (from, count) =>
      Array.from({ length: count }, (_, i) => {
        const own = random.split(`example:${from + i}`);
        const problem = problemFor(task, own.split("problem"));
        const given = checkedCall(
          { name, value: "examples" },
          () => make(problem, own.split("own")),
          (made) =>
            typeof made === "object" && made !== null
              ? null
              : `gave ${shownValue(made)}, expected an example or a list`,
        );
        const list: readonly unknown[] = Array.isArray(given) ? given : [given];
        return list
          .map((each) => parsedExample(each, `${name} of problem ${problem.id}`))
          .filter((each) => isOwn(each, options))
          .flatMap((each) => encoded(each, options));
      }).flat(),
  };
}

function problemFor({ name, pool, problems }: StreamOptions["task"], random: Random): Problem {
  const [problem] = pool ? [random.pick(pool)] : problems(random, 1);
  if (problem) return problem;
  throw new LaconicError("input_invalid", `the task ${name} gave no problem to make an example of`, { task: name });
}

function encoded(
  example: SupervisedExample,
  { tokenizer, settings, contextLength }: StreamOptions,
): TrainingSequence[] {
  return encodeExample(example, tokenizer, settings, Math.min(contextLength, settings.maxTokens ?? Infinity));
}

/** @throws LaconicError `data_invalid` for an example of one policy where all of them begin with one model */
function isOwn(example: SupervisedExample, { settings, learners, policy }: StreamOptions): boolean {
  const owner = ownerOf(example, settings, learners);
  if (owner !== null && policy === null && Object.keys(learners).length > 1)
    throw new LaconicError(
      "data_invalid",
      `${example.source}: it is for the policy ${owner} alone, and a warm start teaches one model that all policies begin with; name nobody, or mix it in by train.supervised`,
      { place: example.source ?? "", policy: owner },
    );
  return owner === null || policy === null || owner === policy;
}

/**
 * The policy that learns an example; null for all of them.
 * @throws LaconicError `data_invalid` naming the source, for an agent or policy that is none, or does not learn
 */
function ownerOf(
  example: SupervisedExample,
  settings: Pick<ExampleSettings, "agent">,
  learners: Learners,
): string | null {
  const { policy, source = "an example" } = example;
  const agent = example.agent ?? (policy === undefined ? settings.agent : undefined);
  if (agent !== undefined) {
    const found = Object.keys(learners).find((name) => learners[name]?.includes(agent));
    if (found !== undefined) return found;
    throw new LaconicError(
      "data_invalid",
      `${source}: no agent ${agent} learns; those that do are ${Object.values(learners).flat().join(", ")}`,
      { place: source, agent },
    );
  }
  if (policy === undefined) return null;
  if (Object.hasOwn(learners, policy)) return policy;
  throw new LaconicError(
    "data_invalid",
    `${source}: there is no policy ${policy}; this run has ${Object.keys(learners).join(", ")}`,
    { place: source, policy },
  );
}

function sizeOf(all: readonly (readonly TrainingSequence[])[]): ExampleSize {
  const sequences = all.flat();
  const lengths = sequences.map(({ promptTokens, completionTokens }) => promptTokens.length + completionTokens.length);
  return {
    examples: all.length,
    tokens: sequences.reduce((sum, { completionTokens }) => sum + completionTokens.length, 0),
    passed: lengths.reduce((sum, length) => sum + length, 0),
    longest: lengths.reduce((most, length) => Math.max(most, length), 0),
  };
}
