import type { GeneratedReply, Generation, PublishedWeights, SamplingServer } from "./servers/sampling-server.ts";
import { LaconicError, ragged, type ErrorDetail } from "@laconic/core";
import { findBadLogProb, sampledLogProbRange } from "@laconic/core/numeric";

/**
 * What a reply must be to be trained on: of this prompt, by these weights, in the vocabulary, with a log-prob for each token.
 * @throws LaconicError `reply_malformed` naming server and place
 */
export function checkReply(
  { url }: Pick<SamplingServer, "url">,
  weights: PublishedWeights,
  asked: Generation,
  reply: GeneratedReply,
  vocabularySize: number,
): void {
  const { prompt, tokens, logProbs, finishReason } = reply;
  const refuse = (reason: string, detail: ErrorDetail = {}): LaconicError =>
    new LaconicError("reply_malformed", `${url}: ${reason}`, { server: url, weights: weights.name, ...detail });
  const { weights: answered } = reply;
  if (answered !== null && answered !== weights.name)
    throw refuse(`asked for ${weights.name}, answered by ${answered}`, { answered });
  const { promptTokens, sampling, stopTokens, stopTexts } = asked;
  const length = typeof prompt === "number" ? prompt : prompt.length;
  if (length !== promptTokens.length)
    throw refuse(`a prompt of ${promptTokens.length} tokens was read as one of ${length}`);
  const other = typeof prompt === "number" ? -1 : prompt.findIndex((token, i) => token !== promptTokens[i]);
  if (other >= 0) throw refuse(`token ${other} of the prompt was read as another one`);
  const stray = tokens.findIndex((token) => !(Number.isInteger(token) && token >= 0 && token < vocabularySize));
  if (stray >= 0)
    throw refuse(`token ${tokens[stray]} at ${stray} of the reply is outside the vocabulary of ${vocabularySize}`);
  if (tokens.length === 0 || tokens.length > sampling.maxTokens)
    throw refuse(`a reply of ${tokens.length} tokens, where 1 to ${sampling.maxTokens} were asked for`);
  if (tokens.length !== logProbs.length) throw refuse(`${tokens.length} tokens came with ${logProbs.length} log-probs`);
  const bad = findBadLogProb(ragged([logProbs]), sampledLogProbRange);
  if (bad) throw refuse(`the log-prob of token ${bad.token} of the reply is ${bad.value}`);
  const early = tokens.slice(0, -1).findIndex((token) => stopTokens.includes(token));
  if (early >= 0) throw refuse(`the reply goes on behind the stop token at ${early}`);
  const stopped = stopTokens.includes(tokens.at(-1) as number);
  if (finishReason === "length" && tokens.length < sampling.maxTokens)
    throw refuse(`the reply ended by length after ${tokens.length} of ${sampling.maxTokens} tokens`);
  if (finishReason === "stop" && !stopped && stopTexts.length === 0)
    throw refuse("the reply ended by a stop that was not asked for");
}
