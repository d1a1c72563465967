/**
 * Where a reply ends by its stop sequences: behind the first one that is complete.
 *
 * @param stops - sequences of token ids; empty ones stop nothing
 * @returns how many of the tokens are left, the stop sequence included; null without one
 */
export function stopEnd(tokens: readonly number[], stops: readonly (readonly number[])[]): number | null {
  for (let end = 1; end <= tokens.length; end++)
    for (const stop of stops)
      if (stop.length > 0 && stop.length <= end && stop.every((token, i) => tokens[end - stop.length + i] === token))
        return end;
  return null;
}
