import { LaconicError, type SampleRequest, type SamplingName } from "@laconic/core";
import type { GeneratedReply, SamplingServer } from "./servers/sampling-server.ts";
import {
  checkSampleRequests,
  refuseRequest,
  samplingCuts,
  samplingNames,
  samplingParameters,
} from "@laconic/core/backends";
import type { Fleet } from "./fleet.ts";

/**
 * What all servers that are asked take with any value, and tell the log-probs of.
 * @param computed - log-probs are computed here, whatever servers tell
 */
export function supportedBy(fleet: Fleet, computed: boolean): readonly SamplingName[] {
  const refusesCuts = !computed && partOf(fleet) !== undefined;
  const refusesHeat = !computed && fleet.reportsRaw;
  return takenByAll(fleet).filter(
    (name) => !(refusesCuts && samplingParameters[name].cuts) && !(refusesHeat && name === "temperature"),
  );
}

function takenByAll({ asked }: Fleet): readonly SamplingName[] {
  return samplingNames.filter((name) => asked.every(({ supports }) => supports.includes(name)));
}

/** A server that tells log-probs of what a cut leaves. */
function partOf({ asked }: Fleet): SamplingServer | undefined {
  return asked.find(({ reportsUncut }) => !reportsUncut);
}

/** @throws LaconicError `input_invalid` naming the request and what of it no reply of these servers could be trained on */
export function checkRequests(
  fleet: Fleet,
  requests: readonly SampleRequest[],
  maxPositions: number,
  computed: boolean,
): void {
  const { vocabularySize } = fleet;
  const taken = { name: "a server of the fleet", supports: takenByAll(fleet) };
  checkSampleRequests({ vocabularySize, maxPositions, sampling: taken }, requests);
  const part = computed ? undefined : partOf(fleet);
  requests.forEach(({ topLogProbs, sampling }, request) => {
    const refuse = (key: string, reason: string): LaconicError => refuseRequest(request, `${key} ${reason}`, { key });
    if (topLogProbs !== undefined) throw refuse("topLogProbs", "cannot be asked of a fleet; forward gives them");
    const { temperature } = sampling;
    if (fleet.reportsRaw && !computed && temperature !== 0 && temperature !== 1)
      throw refuse(
        "temperature",
        `is ${temperature}, but servers tell log-probs at temperature 1; have them computed here (logProbs: "forward")`,
      );
    const [cut] = samplingCuts(sampling);
    if (part && cut !== undefined)
      throw refuse(
        cut,
        `cuts the distribution, and ${part.kind} tells the log-probs of what is left of it; have them computed here (logProbs: "forward")`,
      );
  });
}

/** @throws LaconicError `reply_malformed` for a reply that ended by a stop text which is not in it */
export function checkStopText(url: string, { tokens, finishReason }: GeneratedReply, request: SampleRequest): void {
  const { stopTokens, stopTexts } = request;
  if (!stopTexts || finishReason !== "stop" || stopTokens.includes(tokens.at(-1) as number)) return;
  const { bytes, offsets } = stopTexts.tokenBytes;
  const written = Buffer.concat(tokens.map((token) => bytes.subarray(offsets[token], offsets[token + 1])));
  if (stopTexts.texts.some((text) => text !== "" && written.includes(text))) return;
  throw new LaconicError("reply_malformed", `${url}: a reply ended by a stop text that is not in it`, { server: url });
}
