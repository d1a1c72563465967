import { randomFromState, type Completion, type LanguageModel } from "@laconic/core";

/** Settings of a random policy. */
export interface RandomPolicySettings {
  readonly silence?: number;
  /** Part of the seed; two salts give different texts on one stream. */
  readonly salt?: string;
  readonly delay?: number;
  readonly log?: Completion[];
}

const letters = "abcdefghijklmnopqrstuvwxyz";

/**
 * Writes zero to six random letters, drawn from random stream and prompt. Tokens are letters (97 = "a") and the end
 * token 0.
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
