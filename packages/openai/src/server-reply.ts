import { ragged, type FinishReason, type TokenTrace } from "@laconic/core";
import { findBadLogProb, sampledLogProbRange } from "@laconic/core/numeric";
import { readFinishReason } from "@laconic/core/wire";
import { readUsage, type ReportedUsage } from "./read-usage.ts";
import { countOf, fieldsOf, listOf, readContent, textWithin, type ReplyFields } from "./reply-content.ts";

export interface ServerReply {
  readonly text: string;
  /** Reasoning; may be empty. */
  readonly hidden: string;
  readonly finishReason: FinishReason;
  readonly unknownReason?: string;
  readonly usage: ReportedUsage;
  /** Token ids and log-probs, if complete. */
  readonly trace: TokenTrace | null;
  /** Log-probs of the prompt's tokens if the server sends all; null otherwise. */
  readonly promptLogProbs: readonly (number | null)[] | null;
}

/** Reads a reply with status 200. A refusal is a completion. */
export function readReply(value: unknown, kind: "chat" | "text"): ServerReply | { readonly fault: string } {
  const reply = fieldsOf(value) ?? {};
  const usage = readUsage(reply);
  if (isBlocked(reply)) return { ...filteredPrompt, usage };
  const choice = Array.isArray(reply["choices"]) ? fieldsOf(reply["choices"][0]) : null;
  const content = choice && (kind === "chat" ? chatWords(choice) : textWords(choice));
  if (!content) return { fault: "no completion" };
  const { text, hidden, refused, logProbs } = content;
  const reason = reasonOf(choice);
  const finishReason = refused ? "refusal" : readFinishReason(reason);
  if (finishReason === "broken") return { fault: `an incomplete reply (${JSON.stringify(reason)})` };
  return {
    text,
    hidden,
    finishReason,
    ...(finishReason === "unknown" && { unknownReason: JSON.stringify(reason ?? null).slice(0, 100) }),
    usage,
    trace: traceOf(reply, choice, usage, logProbs),
    promptLogProbs: promptLogProbsOf(choice, usage),
  };
}

export const filteredPrompt: ServerReply = {
  text: "",
  hidden: "",
  finishReason: "refusal",
  usage: readUsage({}),
  trace: null,
  promptLogProbs: null,
};

/** Azure's older models have `finish_details`; OpenRouter repeats the provider's reason. */
function reasonOf({ finish_reason, finish_details, native_finish_reason }: ReplyFields): unknown {
  return [finish_reason, finish_details, native_finish_reason].find((item) => (item ?? "") !== "");
}

/** Gemini reports it in `prompt_feedback`, Azure in `prompt_filter_results`. */
function isBlocked({ choices, prompt_feedback, promptFeedback, prompt_filter_results: filters }: ReplyFields): boolean {
  if (Array.isArray(choices) && choices.length > 0) return false;
  const feedback = fieldsOf(prompt_feedback ?? promptFeedback);
  if ((feedback?.["block_reason"] ?? feedback?.["blockReason"] ?? null) !== null) return true;
  return (Array.isArray(filters) ? filters : [])
    .flatMap((item) => Object.values(fieldsOf(fieldsOf(item)?.["content_filter_results"]) ?? {}))
    .some((finding) => fieldsOf(finding)?.["filtered"] === true);
}

interface ChoiceWords extends Pick<ServerReply, "text" | "hidden"> {
  readonly refused: boolean;
  readonly logProbs: readonly number[] | null;
}

function textWords({ text, logprobs, ...choice }: ReplyFields): ChoiceWords | null {
  if (typeof text !== "string") return withoutWords(choice, text);
  return { text, hidden: "", refused: false, logProbs: listOf(fieldsOf(logprobs)?.["token_logprobs"], numberOf) };
}

/** Reasoning is billed but not part of the answer. */
const reasoningFields = ["reasoning_content", "reasoning", "reasoning_details", "thinking"] as const;

function chatWords(choice: ReplyFields): ChoiceWords | null {
  const message = fieldsOf(choice["message"]);
  if (!message) return withoutWords(choice, choice["message"]);
  const [content, refusal] = [readContent(message["content"]), textWithin(message["refusal"])];
  if (content === null || refusal === null) return null;
  const { text, hidden } = content;
  return {
    text,
    hidden: hidden || (reasoningFields.map((field) => textWithin(message[field])).find(Boolean) ?? ""),
    refused: (refusal || content.refusal) !== "" && text === "",
    logProbs: listOf(fieldsOf(choice["logprobs"])?.["content"], (entry) => numberOf(fieldsOf(entry)?.["logprob"])),
  };
}

/** Allowed for filters and limits, and for a stop only if it is null. */
function withoutWords(choice: ReplyFields, input: unknown): ChoiceWords | null {
  const reason = readFinishReason(reasonOf(choice));
  const refused = reason === "refusal" || (reason === "stop" && input === null);
  if ((input ?? null) !== null || (!refused && reason !== "length")) return null;
  return { text: "", hidden: "", refused, logProbs: null };
}

/** vLLM puts the prompt's ids next to the choices or inside, by version. */
function traceOf(
  reply: ReplyFields,
  choice: ReplyFields,
  usage: ServerReply["usage"],
  logProbs: readonly number[] | null,
): TokenTrace | null {
  const promptTokens = listOf(choice["prompt_token_ids"], countOf) ?? listOf(reply["prompt_token_ids"], countOf);
  const tokens = listOf(choice["token_ids"], countOf);
  if (!promptTokens || !tokens || !logProbs || tokens.length !== logProbs.length) return null;
  // Servers write -9999 for an unknown log-prob.
  if (findBadLogProb(ragged([logProbs]), sampledLogProbRange)) return null;
  // A count without the end token does not match these tokens.
  if (usage.agrees && usage.completionTokens !== tokens.length) return null;
  return { promptTokens, tokens, logProbs };
}

/** An echo lists prompt and reply together. The first token has no log-prob. */
function promptLogProbsOf(choice: ReplyFields, usage: ServerReply["usage"]): ServerReply["promptLogProbs"] {
  const echoed = fieldsOf(choice["logprobs"])?.["token_logprobs"];
  if (!usage.agrees || !Array.isArray(echoed) || echoed.length < usage.promptTokens) return null;
  const [first, ...rest] = echoed.slice(0, usage.promptTokens);
  const logProbs = rest.map(numberOf);
  return usage.promptTokens === 0 || logProbs.includes(null) ? null : [numberOf(first), ...logProbs];
}

function numberOf(value: unknown): number | null {
  return Number.isFinite(value) ? (value as number) : null;
}
