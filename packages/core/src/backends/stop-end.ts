/** Reply length up to its first complete stop sequence, inclusive; null without one. Ignores empty sequences. */
export function stopEnd(tokens: readonly number[], stops: readonly (readonly number[])[]): number | null {
  for (let end = 1; end <= tokens.length; end++)
    for (const stop of stops)
      if (stop.length > 0 && stop.length <= end && stop.every((token, i) => tokens[end - stop.length + i] === token))
        return end;
  return null;
}
