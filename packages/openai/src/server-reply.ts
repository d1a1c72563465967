import { findBadLogProb, ragged, sampledLogProbRange, type FinishReason, type TokenTrace } from "@laconic/core";
import { z } from "zod";

const usage = z
  .object({ prompt_tokens: z.int().min(0), completion_tokens: z.int().min(0) })
  .nullish()
  .catch(null);
const finish = z.string().nullish();

/** What a model thought before it answered: billed, and no part of the answer. */
const thought = z.string().nullish().catch(null);
const tokenIds = z.array(z.int().min(0)).nullish().catch(null);

const chat = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: finish,
        token_ids: tokenIds,
        prompt_token_ids: tokenIds,
        logprobs: z
          .object({ content: z.array(z.object({ logprob: z.number() })).nullish() })
          .nullish()
          .catch(null),
        message: z.object({
          content: z.string().nullish(),
          refusal: z.string().nullish(),
          reasoning_content: thought,
          reasoning: thought,
        }),
      }),
    )
    .min(1),
  prompt_token_ids: tokenIds,
  usage,
  model: z.string().optional(),
});
const text = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: finish,
        text: z.string(),
        token_ids: tokenIds,
        prompt_token_ids: tokenIds,
        logprobs: z
          .object({ token_logprobs: z.array(z.number()).nullish() })
          .nullish()
          .catch(null),
      }),
    )
    .min(1),
  prompt_token_ids: tokenIds,
  usage,
  model: z.string().optional(),
});

/** What a server said, as far as it is needed. */
export interface ServerReply {
  readonly text: string;
  /** Reasoning that was sent beside the text; empty for none. */
  readonly hidden: string;
  readonly finishReason: FinishReason;
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number } | null;
  /** Token ids and log-probs, where the server was asked for them and gives all. */
  readonly trace: TokenTrace | null;
}

/** @returns null for a reply that is no completion; a refusal is one */
export function readReply(value: unknown, kind: "chat" | "text"): ServerReply | null {
  if (kind === "text") {
    const parsed = text.safeParse(value);
    const choice = parsed.data?.choices[0];
    if (!choice) return null;
    return {
      text: choice.text,
      hidden: "",
      finishReason: finishOf(choice.finish_reason),
      usage: usageOf(parsed.data?.usage),
      trace: traceOf(parsed.data, choice, choice.logprobs?.token_logprobs),
    };
  }
  const parsed = chat.safeParse(value);
  const choice = parsed.data?.choices[0];
  if (!choice || choice.finish_reason === "error") return null; // a gateway whose server broke off
  const { content, refusal, reasoning_content: reasoningContent, reasoning } = choice.message;
  const refused = typeof refusal === "string" && refusal !== "" && !content;
  return {
    text: content ?? "",
    hidden: reasoningContent ?? reasoning ?? "",
    finishReason: refused ? "refusal" : finishOf(choice.finish_reason),
    usage: usageOf(parsed.data?.usage),
    trace: traceOf(
      parsed.data,
      choice,
      choice.logprobs?.content?.map(({ logprob }) => logprob),
    ),
  };
}

type Ids = readonly number[] | null | undefined;

/** vLLM has the prompt's ids beside the choices or inside, by version. */
function traceOf(
  reply: { readonly prompt_token_ids?: Ids; readonly usage?: z.infer<typeof usage> } | undefined,
  choice: { readonly token_ids?: Ids; readonly prompt_token_ids?: Ids },
  logProbs: Ids,
): TokenTrace | null {
  const promptTokens = choice.prompt_token_ids ?? reply?.prompt_token_ids;
  const tokens = choice.token_ids;
  if (!promptTokens || !tokens || !logProbs || tokens.length !== logProbs.length) return null;
  // A server writes -9999 for a log-prob it does not know.
  if (findBadLogProb(ragged([logProbs]), sampledLogProbRange)) return null;
  // A count that leaves the end token out is of other tokens than these.
  if (reply?.usage && reply.usage.completion_tokens !== tokens.length) return null;
  return { promptTokens, tokens, logProbs };
}

function finishOf(reason: string | null | undefined): FinishReason {
  if (reason === "length") return "length";
  return reason === "content_filter" ? "refusal" : "stop";
}

function usageOf(given: z.infer<typeof usage> | undefined): ServerReply["usage"] {
  return given ? { promptTokens: given.prompt_tokens, completionTokens: given.completion_tokens } : null;
}
