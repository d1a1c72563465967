/** US dollars per million tokens. */
export interface TokenPrice {
  readonly prompt: number;
  readonly completion: number;
}

/** US dollars of so many tokens. */
export function tokenCost({ prompt, completion }: TokenPrice, promptTokens: number, completionTokens: number): number {
  return (promptTokens * prompt + completionTokens * completion) / 1e6;
}
