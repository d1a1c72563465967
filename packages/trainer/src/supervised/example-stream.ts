import { isRecord, shownValue, dataError, inputError } from "@laconic/core";
import type {
  ExampleMessage,
  SupervisedExample,
  AgentId,
  Problem,
  Random,
  SupervisedExamples,
  TrainingSequence,
  UnknownRecord,
} from "@laconic/core";
import { issueWords } from "@laconic/core/schemas";
import * as z from "zod";
import { checkedCall } from "@laconic/core/checks";
import type { TrainingTask } from "@laconic/topologies";
import { inEpochs } from "../epochs.ts";
import { encodeExample, type ExampleSettings, type ExampleTokenizer } from "./encode-example.ts";

const messageSchema: z.ZodType<ExampleMessage> = z.object({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: z.string(),
  weight: z.literal([0, 1]).exactOptional(),
});

const messages = z.array(messageSchema).min(1);
const ownerFields = {
  agent: z.string().min(1).exactOptional(),
  policy: z.string().min(1).exactOptional(),
  source: z.string().exactOptional(),
};

/** Example formats; other columns are ignored. */
const forms = {
  chat: z.object({ messages, ...ownerFields }),
  text: z.object({ prompt: z.string(), completion: z.string(), ...ownerFields }),
  conversation: z.object({ prompt: messages, completion: messages, ...ownerFields }),
};

/** Unsupported columns that would change the model's input. */
const unread: readonly string[] = ["tools", "functions", "documents", "images", "chat_template_kwargs"];

/**
 * Parses an example.
 * @param location - such as file and row
 * @throws LaconicError `data_invalid` with place and reason
 */
function parsedExample(row: unknown, location: string): SupervisedExample {
  const refuse = (reason: string): never => {
    throw dataError(`${location}: ${reason}`, { place: location });
  };
  if (!isRecord(row)) return refuse("expected an object with messages, or with prompt and completion");
  const form = "messages" in row ? forms.chat : Array.isArray(row["prompt"]) ? forms.conversation : forms.text;
  if (!("messages" in row) && !("prompt" in row && "completion" in row))
    refuse("it has neither messages nor prompt and completion");
  const stray = unread.find((name) => row[name] !== undefined && row[name] !== null);
  if (stray !== undefined) refuse(`${stray} is not read; put the model's input into the messages`);
  for (const list of [row["messages"], row["prompt"], row["completion"]])
    if (Array.isArray(list)) checkMessages(list, refuse);
  const parsed = form.safeParse(row, { error: issueWords });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refuse(`${issue?.path.join(".")}: ${issue?.message}`);
  }
  const example = parsed.data as SupervisedExample;
  if (example.agent !== undefined && example.policy !== undefined)
    refuse("it names an agent and a policy; name only one");
  return { ...example, source: example.source ?? location };
}

function checkMessages(list: readonly unknown[], refuse: (reason: string) => never): void {
  for (const [i, message] of list.entries()) {
    const { content, tool_calls: calls } = (message ?? {}) as UnknownRecord;
    if (Array.isArray(calls) && calls.length > 0)
      refuse(`message ${i}: tool_calls are not read; write them into content as the model's template does`);
    if (Array.isArray(content)) refuse(`message ${i}: content is a list of parts; write it as one text`);
  }
}

/** Agents by policy. */
export type Learners = Readonly<Record<string, readonly AgentId[]>>;

/** Endless stream, determined by position and seed. */
export interface ExampleStream {
  /** Sequences at these positions; empty for other policies' examples. */
  take(from: number, count: number): readonly TrainingSequence[];
  readonly size: ExampleSize | null;
}

/** Number of trained tokens and sequences of examples. */
export interface ExampleSize {
  readonly examples: number;
  readonly tokens: number;
  /** Learned tokens with prompts. */
  readonly passed: number;
  /** Max tokens of prompt and completion. */
  readonly longest: number;
}

/** Options of a stream of examples. */
export interface StreamOptions {
  readonly settings: ExampleSettings;
  readonly tokenizer: ExampleTokenizer;
  readonly contextLength: number;
  readonly learners: Learners;
  /** Policy name; null for a model shared by all policies at the start. */
  readonly policy: string | null;
  readonly task: Pick<TrainingTask, "name" | "problems" | "pool">;
  readonly random: Random;
}

/**
 * Lists are checked at the start and reshuffled for each pass. Functions make an example per drawn problem.
 * @throws LaconicError `data_invalid` naming the source, `input_invalid`
 */
export function exampleStream(examples: SupervisedExamples, options: StreamOptions): ExampleStream {
  return typeof examples === "function" ? madeStream(examples, options) : listedStream(examples, options);
}

/**
 * Checks examples without a tokenizer.
 * @throws LaconicError `data_invalid` for an empty list, an unknown format, or an agent or policy that does not learn
 */
export function checkedExamples(
  list: readonly unknown[],
  settings: Pick<ExampleSettings, "agent">,
  learners: Learners,
): SupervisedExample[] {
  if (list.length === 0) throw dataError("the list of examples is empty");
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
  const exampleAt = inEpochs(all, random);
  return {
    size: sizeOf(all),
    take: (from, count) =>
      all.length === 0 ? [] : Array.from({ length: count }, (_, i) => exampleAt(from + i)).flat(),
  };
}

function madeStream(
  make: Extract<SupervisedExamples, (...args: never) => unknown>,
  options: StreamOptions,
): ExampleStream {
  const { task, random } = options;
  const name = `the examples ${make.name}`.trimEnd();
  return {
    size: null,
    take: (from, count) =>
      Array.from({ length: count }, (_, i) => {
        const stream = random.split(`example:${from + i}`);
        const problem = problemFor(task, stream.split("problem"));
        const input = checkedCall(
          { name, value: "examples" },
          () => make(problem, stream.split("own")),
          (made) =>
            typeof made === "object" && made !== null
              ? null
              : `gave ${shownValue(made)}, expected an example or a list`,
        );
        const list: readonly unknown[] = Array.isArray(input) ? input : [input];
        return list
          .map((item) => parsedExample(item, `${name} of problem ${problem.id}`))
          .filter((example) => isOwn(example, options))
          .flatMap((example) => encoded(example, options));
      }).flat(),
  };
}

function problemFor({ name, pool, problems }: StreamOptions["task"], random: Random): Problem {
  const [problem] = pool ? [random.pick(pool)] : problems(random, 1);
  if (problem) return problem;
  throw inputError(`the task ${name} gave no problem for an example`, { task: name });
}

function encoded(
  example: SupervisedExample,
  { tokenizer, settings, contextLength }: StreamOptions,
): TrainingSequence[] {
  return encodeExample(example, tokenizer, settings, Math.min(contextLength, settings.maxTokens ?? Infinity));
}

/** @throws LaconicError `data_invalid` for a policy's example if all start with one model */
function isOwn(example: SupervisedExample, { settings, learners, policy }: StreamOptions): boolean {
  const owner = ownerOf(example, settings, learners);
  if (owner !== null && policy === null && Object.keys(learners).length > 1)
    throw dataError(
      `${example.source}: it is for the policy ${owner} alone, but a warm start trains the initial model of all policies; remove the name, or use train.supervised`,
      { place: example.source ?? "", policy: owner },
    );
  return owner === null || policy === null || owner === policy;
}

/** Returns null for all policies. @throws LaconicError `data_invalid` for an agent or policy that does not learn */
function ownerOf(
  example: SupervisedExample,
  settings: Pick<ExampleSettings, "agent">,
  learners: Learners,
): string | null {
  const { policy, source = "an example" } = example;
  const agent = example.agent ?? (policy === undefined ? settings.agent : undefined);
  if (agent !== undefined) {
    const key = Object.keys(learners).find((name) => learners[name]?.includes(agent));
    if (key !== undefined) return key;
    throw dataError(
      `${source}: the agent ${agent} does not learn; learning agents: ${Object.values(learners).flat().join(", ")}`,
      { place: source, agent },
    );
  }
  if (policy === undefined) return null;
  if (Object.hasOwn(learners, policy)) return policy;
  throw dataError(`${source}: unknown policy ${policy}; this run has ${Object.keys(learners).join(", ")}`, {
    place: source,
    policy,
  });
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
