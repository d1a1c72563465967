import type { Prompt } from "@laconic/core";
import { issueWords } from "@laconic/core/schemas";
import { z } from "zod";
import { chatForm, textForm, type ReadReply, type ReplyForm } from "./forms.ts";
import { invalid } from "./http.ts";
import type { LogProbMode } from "./listed-token.ts";
import { formatRule, type ReplyRule } from "./reply-rules.ts";
import { chatSchema, completionSchema, type ChatBody, type CompletionBody } from "./schemas.ts";

/** What one request asks for. */
export interface Job {
  readonly body: ChatBody | CompletionBody;
  /** Each gets `n` replies. */
  readonly prompts: readonly Prompt[];
  /** Replies to all of them. */
  readonly count: number;
  readonly form: ReplyForm;
  /** 0 asks for nothing but the prompt's own log-probs. */
  readonly maxTokens: number;
  readonly logProbs: LogProbMode | null;
  /** Likeliest tokens wanted at each place. */
  readonly topLogProbs: number;
  /** The prompt stands before each reply, its log-probs too. */
  readonly echo: boolean;
  /** Finds the calls of tools in a reply; a chat with tools has it. */
  readonly readReply?: ReadReply;
  /** What each reply must keep. */
  readonly rules: readonly ReplyRule[];
  /** Stands at the head of the answer beside its id. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

const namingModel: z.ZodType<{ readonly model: string }> = z.looseObject({ model: z.string() });

/** The model that a request names. @throws HttpError 400 where it names none */
export function modelIn(json: unknown): string {
  return parse(namingModel, json).model;
}

/** @param given - `withoutNulls` @throws HttpError 400 naming the parameter */
export function chatJob(given: object, defaultMaxTokens: number): Job {
  const body = parse(chatSchema, given);
  return {
    body,
    prompts: [{ kind: "messages", messages: body.messages }],
    count: body.n ?? 1,
    form: chatForm,
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? defaultMaxTokens,
    echo: false,
    rules: formatRule(body.response_format),
    ...logProbsOf(body, body.logprobs === true, body.top_logprobs ?? 0),
  };
}

/** @param given - `withoutNulls` @throws HttpError 400 naming the parameter */
export function completionJob(given: object, defaultMaxTokens: number): Job {
  const body = parse(completionSchema, given);
  const { prompt, max_tokens: maxTokens, logprobs, echo = false } = body;
  if (maxTokens === 0 && !echo) throw invalid("max_tokens: 0 needs echo: true", "max_tokens");
  if (echo && body.stream === true) throw invalid("echo is not streamed", "echo");
  const prompts = promptsOf(prompt);
  const job: Job = {
    body,
    prompts,
    count: prompts.length * (body.n ?? 1),
    form: textForm,
    maxTokens: maxTokens ?? defaultMaxTokens,
    echo,
    rules: [],
    ...logProbsOf(body, typeof logprobs === "number", logprobs ?? 0),
  };
  if (echo && job.logProbs === "processed_logprobs")
    throw invalid("a prompt's tokens were not sampled; they have raw_logprobs only", "logprobs_mode");
  return job;
}

function promptsOf(prompt: CompletionBody["prompt"]): Prompt[] {
  if (typeof prompt === "string") return [{ kind: "text", text: prompt }];
  if (typeof prompt[0] === "number") return [{ kind: "tokens", tokens: prompt as readonly number[] }];
  return (prompt as readonly (string | readonly number[])[]).map((each) =>
    typeof each === "string" ? { kind: "text", text: each } : { kind: "tokens", tokens: each },
  );
}

/** @throws HttpError 400 when likeliest tokens are asked for without log-probs, or at the sampling temperature. */
function logProbsOf(
  { logprobs_mode: mode = "raw_logprobs" }: ChatBody | CompletionBody,
  asked: boolean,
  topLogProbs: number,
): Pick<Job, "logProbs" | "topLogProbs"> {
  if (topLogProbs > 0 && !asked) throw invalid("top_logprobs needs logprobs: true", "top_logprobs");
  if (topLogProbs > 0 && mode === "processed_logprobs")
    throw invalid("the likeliest tokens are listed with raw_logprobs only", "logprobs_mode");
  return { logProbs: asked ? mode : null, topLogProbs };
}

/** Clients send null for what they do not say. @throws HttpError 400 for what is no object */
export function withoutNulls(json: unknown): Record<string, unknown> {
  const body = parse(objectSchema, json);
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

const objectSchema: z.ZodType<Readonly<Record<string, unknown>>> = z.record(z.string(), z.unknown());

/** @throws HttpError 400 naming the parameter. */
export function parse<T>(schema: z.ZodType<T>, json: unknown, place = ""): T {
  const parsed = schema.safeParse(json, { error: issueWords });
  if (parsed.success) return parsed.data;
  const { path, message, key } = innermost(parsed.error.issues[0] as z.core.$ZodIssue);
  const name = [...(place === "" ? [] : [place]), ...path].join(".");
  const parameter = [...(name === "" ? [] : [name]), ...(key === undefined ? [] : [key])].join(".");
  throw invalid(`${name === "" ? "the body" : name}: ${message}`, parameter === "" ? null : parameter);
}

interface Refused {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** The first key that the schema does not know. */
  readonly key?: string | undefined;
}

/** Of a choice, where the alternative that the value fits deepest into does not fit. */
function innermost(issue: z.core.$ZodIssue): Refused {
  if (issue.code === "unrecognized_keys") return { path: issue.path, message: issue.message, key: issue.keys[0] };
  const { path, message } = issue;
  if (issue.code === "invalid_key") return { path: path.slice(0, -1), message };
  if (issue.code !== "invalid_union") return { path, message };
  const firsts = issue.errors.flatMap(([first]) => (first ? [innermost(first)] : []));
  const depth = Math.max(...firsts.map((each) => each.path.length));
  const [meant, ...others] = firsts.filter((each) => each.path.length === depth);
  // Alternatives that fail in different places leave open which was meant.
  if (!meant || depth === 0 || others.some((each) => each.path.join(".") !== meant.path.join(".")))
    return { path, message };
  return { ...meant, path: [...path, ...meant.path] };
}
