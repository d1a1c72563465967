import { randomFromState } from "@laconic/core";
import type { LogProbsAtOne, SampleRequest, SampleResult, Random, StopTexts } from "@laconic/core";
import type { ModelConfig } from "../transformer/model-config.ts";
import type { PageHolder } from "./cache-pages.ts";

export interface Reply extends PageHolder {
  readonly slot: number;
  readonly request: SampleRequest;
  readonly uniforms: UniformStream;
  readonly stopTokens: ReadonlySet<number>;
  readonly stopTexts: StopMatcher | null;
  /** Limited by the context. */
  readonly maxTokens: number;
  readonly tokens: number[];
  /** Enqueued but unread tokens. */
  ahead: number;
  readonly logProbs: number[];
  readonly atOne: LogProbsAtOne[];
  finishReason: SampleResult["finishReason"] | null;
  /** Admission number; the last is preempted first. */
  turn: number;
}

export function startReply(config: ModelConfig, request: SampleRequest, index: number): Reply {
  return {
    slot: index,
    request,
    uniforms: new UniformStream(randomFromState(request.random)),
    stopTokens: new Set(request.stopTokens),
    stopTexts: request.stopTexts ? new StopMatcher(request.stopTexts) : null,
    maxTokens: roomFor(config, request) - request.promptTokens.length,
    tokens: [],
    ahead: 0,
    logProbs: [],
    atOne: [],
    finishReason: null,
    pages: [],
    turn: 0,
    /** All but the newest token are cached. */
    get held() {
      return Math.max(0, request.promptTokens.length + this.tokens.length + this.ahead - 1);
    },
  };
}

/** Prompt, and tokens drawn before a preemption. */
export function contentOf({ request, tokens }: Reply): readonly number[] {
  return tokens.length === 0 ? request.promptTokens : [...request.promptTokens, ...tokens];
}

export function roomFor(config: ModelConfig, { promptTokens, sampling }: SampleRequest): number {
  return Math.min(promptTokens.length + sampling.maxTokens, config.maxPositions);
}

export function extendReply(reply: Reply, token: number, logProb: number, atOne: LogProbsAtOne | null): void {
  if (reply.finishReason !== null) return;
  if (atOne) reply.atOne.push(atOne);
  reply.tokens.push(token);
  reply.logProbs.push(logProb);
  const stopped = reply.stopTexts?.push(token) ?? false;
  if (stopped || reply.stopTokens.has(token) || endsWithStop(reply)) reply.finishReason = "stop";
  else if (reply.tokens.length >= reply.maxTokens) reply.finishReason = "length";
}

export function resultOf({ request, tokens, logProbs, atOne, finishReason }: Reply): SampleResult {
  return {
    promptTokens: request.promptTokens,
    tokens,
    logProbs,
    ...(request.topLogProbs !== undefined && { atOne }),
    finishReason: finishReason ?? "length",
  };
}

function endsWithStop({ request, tokens }: Reply): boolean {
  const { stopSequences } = request;
  if (!stopSequences) return false;
  return stopSequences.some(
    (stop) => stop.length > 0 && stop.every((token, i) => tokens[tokens.length - stop.length + i] === token),
  );
}

/** Uniform numbers by token position, independent of the order of calls. */
export class UniformStream {
  readonly #random: Random;
  readonly #drawn: number[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  at(index: number): number {
    while (this.#drawn.length <= index) this.#drawn.push(this.#random.uniform());
    return this.#drawn[index]!;
  }
}

const space = 0x20;

/** Finds stop texts as tokens arrive, also within a token or character. */
class StopMatcher {
  readonly #stops: readonly Uint8Array[];
  readonly #spelling: StopTexts["tokenBytes"];
  readonly #reach: number;
  #tail: Uint8Array = new Uint8Array();
  #empty = true;

  constructor({ texts, tokenBytes }: StopTexts) {
    this.#stops = texts.filter((text) => text !== "").map((text) => new TextEncoder().encode(text));
    this.#spelling = tokenBytes;
    this.#reach = Math.max(0, ...this.#stops.map((stop) => stop.length - 1));
  }

  push(token: number): boolean {
    const added = this.#bytesOf(token);
    if (added.length === 0) return false;
    const window = new Uint8Array(this.#tail.length + added.length);
    window.set(this.#tail);
    window.set(added, this.#tail.length);
    this.#tail = window.subarray(Math.max(0, window.length - this.#reach));
    return this.#stops.some((stop) => holds(window, stop));
  }

  #bytesOf(token: number): Uint8Array {
    const { bytes, offsets, dropsFirstSpace } = this.#spelling;
    // The vocabulary may be padded.
    const added = bytes.subarray(offsets[token] ?? 0, offsets[token + 1] ?? 0);
    if (!this.#empty || added.length === 0) return added;
    this.#empty = false;
    return dropsFirstSpace && added[0] === space ? added.subarray(1) : added;
  }
}

function holds(text: Uint8Array, part: Uint8Array): boolean {
  for (let start = 0; start + part.length <= text.length; start++) {
    let same = 0;
    while (same < part.length && text[start + same] === part[same]) same++;
    if (same === part.length) return true;
  }
  return false;
}
