import type { LogProbsAtOne } from "@laconic/core";
import type { SamplingRows, Tensor } from "@laconic/kernels";
import { readPieces } from "../transformer/likeliest-tokens.ts";
import type { ModelOnDevice } from "../transformer/model-on-device.ts";
import { extendReply, type Reply } from "./reply.ts";

/** Draws the next token of every reply from its logits, decides whether it ends the reply, and frees the logits. */
export async function draw({ kernels }: ModelOnDevice, logits: Tensor, replies: readonly Reply[]): Promise<void> {
  const asked = replies.map(({ request }) => request.topLogProbs ?? -1);
  const most = Math.max(...asked);
  const drawn = kernels.scope(() => {
    try {
      const sampled = kernels.sampleTokens(logits, samplingRows(replies));
      if (most < 0) return { sampled, atOne: null };
      const count = Math.min(most, logits.shape[1] as number);
      return { sampled, atOne: kernels.tokenLogProbs(logits, sampled.tokens, count) };
    } finally {
      kernels.free(logits);
    }
  });
  const { sampled, atOne } = drawn;
  const [tokens, logProbs] = await Promise.all([kernels.read(sampled.tokens), kernels.read(sampled.logProbs)]);
  kernels.free(sampled.tokens, sampled.logProbs);
  const rows = atOne && (await readPieces(kernels, [atOne]));
  for (let i = 0; i < replies.length; i++) {
    const reply = replies[i] as Reply;
    const count = asked[i] as number;
    extendReply(
      reply,
      tokens[i] as number,
      logProbs[i] as number,
      rows && count >= 0 ? firstOf(rows[i] as LogProbsAtOne, count) : null,
    );
  }
}

/** Requests of one batch ask for different numbers of likeliest tokens. */
function firstOf({ logProb, top }: LogProbsAtOne, count: number): LogProbsAtOne {
  return { logProb, top: top.slice(0, count) };
}

function samplingRows(replies: readonly Reply[]): SamplingRows {
  const count = replies.length;
  const settings: SamplingRows = {
    temperature: new Float32Array(count),
    topK: new Int32Array(count),
    topP: new Float32Array(count),
    minP: new Float32Array(count),
    uniform: new Float32Array(count),
  };
  for (let i = 0; i < count; i++) {
    const { request, random } = replies[i] as Reply;
    settings.temperature[i] = request.sampling.temperature;
    settings.topK[i] = request.sampling.topK ?? 0;
    settings.topP[i] = request.sampling.topP ?? 1;
    settings.minP[i] = request.sampling.minP ?? 0;
    settings.uniform[i] = random.uniform();
  }
  return settings;
}
