import { LaconicError, ragged, type ErrorDetail, type SampleRequest, type SamplingName } from "@laconic/core";
import {
  checkSampleRequests,
  refuseRequest,
  samplingCuts,
  samplingNames,
  samplingParameters,
} from "@laconic/core/backends";
import { findBadLogProb, sampledLogProbRange } from "@laconic/core/numeric";
import type { GeneratedReply, Generation, PublishedWeights, SamplingServer } from "./servers/sampling-server.ts";

interface AskedServers {
  readonly asked: readonly SamplingServer[];
  readonly reportsRaw: boolean;
  readonly vocabularySize: number;
}

/**
 * Sampling parameters that all servers accept and report log-probs for.
 * @param computed - log-probs are computed locally
 */
export function supportedBy(servers: AskedServers, computed: boolean): readonly SamplingName[] {
  const refusesCuts = !computed && cuttingServer(servers) !== undefined;
  const refusesHeat = !computed && servers.reportsRaw;
  return takenByAll(servers).filter(
    (name) => !(refusesCuts && samplingParameters[name].cuts) && !(refusesHeat && name === "temperature"),
  );
}

function takenByAll({ asked }: AskedServers): readonly SamplingName[] {
  return samplingNames.filter((name) => asked.every(({ supports }) => supports.includes(name)));
}

/** Whether a server reports log-probs of the truncated distribution. */
function cuttingServer({ asked }: AskedServers): SamplingServer | undefined {
  return asked.find(({ reportsUncut }) => !reportsUncut);
}

/** @throws LaconicError `input_invalid` with the request and why its replies cannot be trained on */
export function checkRequests(
  servers: AskedServers,
  requests: readonly SampleRequest[],
  maxPositions: number,
  computed: boolean,
): void {
  const { vocabularySize, reportsRaw } = servers;
  const taken = { name: "a server of the fleet", supports: takenByAll(servers) };
  checkSampleRequests({ vocabularySize, maxPositions, sampling: taken }, requests);
  const cutting = computed ? undefined : cuttingServer(servers);
  requests.forEach(({ topLogProbs, sampling }, request) => {
    const refuse = (key: string, reason: string): LaconicError => refuseRequest(request, `${key} ${reason}`, { key });
    if (topLogProbs !== undefined) throw refuse("topLogProbs", "is not supported by a fleet; use forward");
    const { temperature } = sampling;
    if (reportsRaw && !computed && temperature !== 0 && temperature !== 1)
      throw refuse(
        "temperature",
        `is ${temperature}, but servers report log-probs at temperature 1; compute them locally (logProbs: "forward")`,
      );
    const [cut] = samplingCuts(sampling);
    if (cutting && cut !== undefined)
      throw refuse(
        cut,
        `truncates the distribution, and ${cutting.kind} reports log-probs of the truncated one; compute them locally (logProbs: "forward")`,
      );
  });
}

/**
 * Checks that a reply answers this prompt with these weights, within the vocabulary, with all log-probs.
 * @throws LaconicError `reply_malformed` with server and position
 */
export function checkReply(
  { url }: Pick<SamplingServer, "url">,
  weights: PublishedWeights,
  asked: Generation,
  reply: GeneratedReply,
  vocabularySize: number,
): void {
  const { prompt, tokens, logProbs, finishReason, weights: answered } = reply;
  const refuse = (reason: string, detail: ErrorDetail = {}): LaconicError =>
    new LaconicError("reply_malformed", `${url}: ${reason}`, { server: url, weights: weights.name, ...detail });
  if (answered !== null && answered !== weights.name)
    throw refuse(`requested ${weights.name}, got a reply from ${answered}`, { answered });
  const { promptTokens, sampling, stopTokens, stopTexts } = asked;
  const length = typeof prompt === "number" ? prompt : prompt.length;
  if (length !== promptTokens.length)
    throw refuse(`the server read ${length} prompt tokens, expected ${promptTokens.length}`);
  const other = typeof prompt === "number" ? -1 : prompt.findIndex((token, i) => token !== promptTokens[i]);
  if (other >= 0) throw refuse(`the server read another token at ${other} of the prompt`);
  const stray = tokens.findIndex((token) => !(Number.isInteger(token) && token >= 0 && token < vocabularySize));
  if (stray >= 0)
    throw refuse(`token ${tokens[stray]} at ${stray} of the reply is outside the vocabulary of ${vocabularySize}`);
  if (tokens.length === 0 || tokens.length > sampling.maxTokens)
    throw refuse(`expected a reply of 1 to ${sampling.maxTokens} tokens, got ${tokens.length}`);
  if (tokens.length !== logProbs.length) throw refuse(`got ${logProbs.length} log-probs for ${tokens.length} tokens`);
  const bad = findBadLogProb(ragged([logProbs]), sampledLogProbRange);
  if (bad) throw refuse(`the log-prob of token ${bad.token} of the reply is ${bad.value}`);
  const early = tokens.slice(0, -1).findIndex((token) => stopTokens.includes(token));
  if (early >= 0) throw refuse(`the reply continues after the stop token at ${early}`);
  const stopped = stopTokens.includes(tokens.at(-1)!);
  if (finishReason === "length" && tokens.length < sampling.maxTokens)
    throw refuse(`the reply ended by length after ${tokens.length} of ${sampling.maxTokens} tokens`);
  if (finishReason === "stop" && !stopped && stopTexts.length === 0)
    throw refuse("the reply ended by a stop that was not requested");
}

/** @throws LaconicError `reply_malformed` if a reported stop text is missing */
export function checkStopText(url: string, { tokens, finishReason }: GeneratedReply, request: SampleRequest): void {
  const { stopTokens, stopTexts } = request;
  if (!stopTexts || finishReason !== "stop" || stopTokens.includes(tokens.at(-1)!)) return;
  const { bytes, offsets } = stopTexts.tokenBytes;
  const written = Buffer.concat(tokens.map((token) => bytes.subarray(offsets[token], offsets[token + 1])));
  if (stopTexts.texts.some((text) => text !== "" && written.includes(text))) return;
  throw new LaconicError("reply_malformed", `${url}: a reply ended by a stop text that it does not contain`, {
    server: url,
  });
}
