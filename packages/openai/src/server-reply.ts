import { findBadLogProb, ragged, sampledLogProbRange, type FinishReason, type TokenTrace } from "@laconic/core";
import { readUsage, type ReportedUsage } from "./read-usage.ts";
import { countOf, fieldsOf, isTextOrNone, listOf, textOf, type ReplyFields } from "./reply-fields.ts";

/** What a server said, as far as it is needed. */
export interface ServerReply {
  readonly text: string;
  /** Reasoning that was sent beside the text; empty for none. */
  readonly hidden: string;
  readonly finishReason: FinishReason;
  readonly usage: ReportedUsage;
  /** Token ids and log-probs, where the server was asked for them and gives all. */
  readonly trace: TokenTrace | null;
  /** Log-probs of the prompt's tokens, where the server gives all; null otherwise. */
  readonly promptLogProbs: readonly (number | null)[] | null;
}

/** @returns null for a reply that is no completion; a refusal is one */
export function readReply(value: unknown, kind: "chat" | "text"): ServerReply | null {
  const reply = fieldsOf(value);
  const choice = Array.isArray(reply?.["choices"]) ? fieldsOf(reply["choices"][0]) : null;
  const finish = choice?.["finish_reason"];
  if (!reply || !choice || !isTextOrNone(finish)) return null;
  const words = kind === "chat" ? chatWords(choice) : textWords(choice);
  if (!words) return null;
  const { text, hidden, refused, logProbs } = words;
  const usage = readUsage(reply);
  return {
    text,
    hidden,
    finishReason: refused ? "refusal" : finishOf(finish),
    usage,
    trace: traceOf(reply, choice, usage, logProbs),
    promptLogProbs: promptLogProbsOf(choice, usage),
  };
}

/** What a choice says, in either of the two forms. */
interface ChoiceWords extends Pick<ServerReply, "text" | "hidden"> {
  readonly refused: boolean;
  readonly logProbs: readonly number[] | null;
}

function textWords({ text, logprobs }: ReplyFields): ChoiceWords | null {
  if (typeof text !== "string") return null;
  return { text, hidden: "", refused: false, logProbs: listOf(fieldsOf(logprobs)?.["token_logprobs"], numberOf) };
}

function chatWords(choice: ReplyFields): ChoiceWords | null {
  const message = fieldsOf(choice["message"]);
  if (!message || choice["finish_reason"] === "error") return null; // a gateway whose server broke off
  const { content, refusal } = message;
  if (!isTextOrNone(content) || !isTextOrNone(refusal)) return null;
  return {
    text: content ?? "",
    // What a model thought before it answered: billed, and no part of the answer.
    hidden: textOf(message["reasoning_content"]) ?? textOf(message["reasoning"]) ?? "",
    refused: Boolean(refusal) && !content,
    logProbs: listOf(fieldsOf(choice["logprobs"])?.["content"], (entry) => numberOf(fieldsOf(entry)?.["logprob"])),
  };
}

/** vLLM has the prompt's ids beside the choices or inside, by version. */
function traceOf(
  reply: ReplyFields,
  choice: ReplyFields,
  usage: ServerReply["usage"],
  logProbs: readonly number[] | null,
): TokenTrace | null {
  const promptTokens = listOf(choice["prompt_token_ids"], countOf) ?? listOf(reply["prompt_token_ids"], countOf);
  const tokens = listOf(choice["token_ids"], countOf);
  if (!promptTokens || !tokens || !logProbs || tokens.length !== logProbs.length) return null;
  // A server writes -9999 for a log-prob it does not know.
  if (findBadLogProb(ragged([logProbs]), sampledLogProbRange)) return null;
  // A count that leaves the end token out is of other tokens than these.
  if (usage.agrees && usage.completionTokens !== tokens.length) return null;
  return { promptTokens, tokens, logProbs };
}

/** vLLM lists the prompt's places by token; an echo has prompt and reply in one list. Nothing stands before the first. */
function promptLogProbsOf(choice: ReplyFields, usage: ServerReply["usage"]): ServerReply["promptLogProbs"] {
  const places = choice["prompt_logprobs"];
  const own = (place: unknown): unknown => fieldsOf(Object.values(fieldsOf(place) ?? {})[0])?.["logprob"];
  const echoed = fieldsOf(choice["logprobs"])?.["token_logprobs"];
  const list = Array.isArray(places)
    ? places.map((place) => (place === null ? null : own(place)))
    : usage.agrees && Array.isArray(echoed) && echoed.length >= usage.promptTokens
      ? echoed.slice(0, usage.promptTokens)
      : null;
  if (!list || list.length === 0) return null;
  const [first, ...rest] = list;
  const read = rest.map((each) => numberOf(each));
  return read.includes(null) ? null : [numberOf(first), ...read];
}

function finishOf(reason: string | null | undefined): FinishReason {
  if (reason === "length") return "length";
  return reason === "content_filter" ? "refusal" : "stop";
}

function numberOf(value: unknown): number | null {
  return Number.isFinite(value) ? (value as number) : null;
}
