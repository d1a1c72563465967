import type { TokenTrace } from "@laconic/core";

/**
 * A reply up to its first stop text. The engine ends most replies there already; this is for samplers that do not know stop
 * texts, and for what only the decoder can tell.
 *
 * @param decode - text of a beginning of the tokens
 * @returns the text before the stop text, and the trace as far as the token that completes it
 */
export function endAtStop(
  trace: TokenTrace,
  stops: readonly string[],
  decode: (tokens: readonly number[]) => string,
): { readonly text: string; readonly stopped: boolean; readonly trace: TokenTrace } {
  const whole = decode(trace.tokens);
  if (firstStop(whole, stops) === null) return { text: whole, stopped: false, trace };
  // The shortest beginning that holds a stop text: those that hold one are the longest ones.
  let without = 0;
  let within = trace.tokens.length;
  while (within - without > 1) {
    const middle = (without + within) >> 1;
    if (firstStop(decode(trace.tokens.slice(0, middle)), stops) === null) without = middle;
    else within = middle;
  }
  const ended = beginning(trace, within);
  const text = decode(ended.tokens);
  return { text: text.slice(0, firstStop(text, stops) ?? text.length), stopped: true, trace: ended };
}

function firstStop(text: string, stops: readonly string[]): number | null {
  const found = stops.map((stop) => (stop === "" ? -1 : text.indexOf(stop))).filter((at) => at >= 0);
  return found.length === 0 ? null : Math.min(...found);
}

function beginning(trace: TokenTrace, length: number): TokenTrace {
  if (length === trace.tokens.length) return trace;
  const { promptTokens, tokens, logProbs, atOne } = trace;
  return {
    promptTokens,
    tokens: tokens.slice(0, length),
    logProbs: logProbs.slice(0, length),
    ...(atOne && { atOne: atOne.slice(0, length) }),
  };
}
