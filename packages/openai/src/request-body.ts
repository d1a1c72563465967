import { LaconicError, randomFromState, type CompletionRequest } from "@laconic/core";
import { checkSampling, samplingFields, supportedSampling, type SamplingSupport } from "@laconic/core/backends";

/** How a model's requests are written. */
export interface BodyOptions {
  readonly model: string;
  readonly extraSampling?: boolean;
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens";
  readonly trace?: boolean;
  readonly seed?: boolean;
  readonly promptScoring?: PromptScoring;
}

/** How a server is asked for log-probs of a prompt: OpenAI's `echo` with `logprobs`, or vLLM's `prompt_logprobs`. */
export type PromptScoring = "echo" | "prompt_logprobs";

/** What is sent, and to which of the two paths. */
export interface Body {
  readonly kind: "chat" | "text";
  readonly fields: Record<string, unknown>;
}

/** What OpenAI's interface takes of sampling, or that of servers which take more. */
function openAiSampling(backEnd: "openai" | "openai-extended"): SamplingSupport {
  const advice = backEnd === "openai" ? "set extraSampling for a server that does" : "leave it out";
  return { name: "OpenAI's interface", supports: supportedSampling(backEnd), advice };
}

/** @throws LaconicError `config_invalid` for parameters that the server does not know */
export function bodyOf({ prompt, sampling, random, scorePrompt }: CompletionRequest, options: BodyOptions): Body {
  const { temperature, maxTokens, stop } = sampling;
  const { extraSampling = false, maxTokensField = "max_tokens", seed = true, trace = false, model } = options;
  if (scorePrompt) return scoringBody(prompt, options);
  const backEnd = extraSampling ? "openai-extended" : "openai";
  checkSampling(sampling, openAiSampling(backEnd));
  const fields = {
    model,
    temperature, // first: what is kept of replies goes by a hash of the text
    [prompt.kind === "messages" ? maxTokensField : "max_tokens"]: maxTokens,
    ...samplingFields(backEnd, sampling, "asked"),
    ...(stop && stop.length > 0 && { stop }),
    ...(trace && { return_token_ids: true, logprobs: prompt.kind === "messages" ? true : 0 }),
    ...(seed && { seed: randomFromState(random).integer(2 ** 31 - 1) }),
  };
  if (prompt.kind === "messages") return { kind: "chat", fields: { ...fields, messages: prompt.messages } };
  return { kind: "text", fields: { ...fields, prompt: prompt.kind === "text" ? prompt.text : prompt.tokens } };
}

/** One token is written besides, because some servers refuse none. */
function scoringBody(prompt: CompletionRequest["prompt"], { model, promptScoring = "echo" }: BodyOptions): Body {
  if (prompt.kind === "messages")
    throw new LaconicError("config_invalid", "log-probs of a chat's prompt cannot be asked for; send a text or tokens");
  const asked = promptScoring === "echo" ? { echo: true, logprobs: 1 } : { prompt_logprobs: 0 };
  const text = prompt.kind === "text" ? prompt.text : prompt.tokens;
  return { kind: "text", fields: { model, temperature: 0, max_tokens: 1, ...asked, prompt: text } };
}
