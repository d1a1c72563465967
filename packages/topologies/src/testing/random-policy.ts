import { randomFromState, type Completion, type LanguageModel } from "@laconic/core";

/** How a random policy writes. */
export interface RandomPolicySettings {
  /** Probability of an empty reply. */
  readonly silence?: number;
  /** Mixed into every draw: two salts say different things on the same stream. */
  readonly salt?: string;
  /** Event-loop turns before the reply, to shuffle the order in which models answer. */
  readonly delay?: number;
  /** Every completion is added here. */
  readonly log?: Completion[];
}

const letters = "abcdefghijklmnopqrstuvwxyz";

/**
 * A model that writes one to six letters drawn from the request's random stream and the prompt, or nothing.
 * A letter is a token (97 = "a"), the end token is 0; a prompt that is not tokens counts its characters.
 */
export function randomPolicy(id: string, settings: RandomPolicySettings = {}): LanguageModel {
  const { silence = 0.2, salt = "", delay = 0, log } = settings;
  return {
    id,
    async complete({ prompt, sampling, random }) {
      for (let i = 0; i < delay; i++) await Promise.resolve();
      const draw = randomFromState(random).split(`${salt}:${JSON.stringify(prompt)}`);
      const length = draw.uniform() < silence ? 0 : 1 + draw.integer(6);
      const whole = Array.from({ length }, () => letters.charCodeAt(draw.integer(letters.length)));
      const finished = whole.length < sampling.maxTokens;
      const text = String.fromCharCode(...whole.slice(0, sampling.maxTokens));
      const tokens = finished ? [...whole, 0] : whole.slice(0, sampling.maxTokens);
      const promptTokens = prompt.kind === "tokens" ? prompt.tokens : Array.from(JSON.stringify(prompt), () => 1);
      const completion: Completion = {
        text,
        finishReason: finished ? "stop" : "length",
        usage: {
          promptTokens: promptTokens.length,
          completionTokens: tokens.length,
          counted: "model",
        },
        model: { id, weightVersion: 0 },
        trace: { promptTokens, tokens, logProbs: tokens.map(() => -1) },
      };
      log?.push(completion);
      return completion;
    },
  };
}
