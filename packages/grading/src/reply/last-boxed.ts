/**
 * What the last `\boxed{...}` or `\fbox{...}` of a text holds, braces matched.
 * @returns null without one, or when its brace never closes
 */
export function lastBoxed(text: string): string | null {
  const opened = [...text.matchAll(/\\(?:boxed|fbox)\s*\{/g)].at(-1);
  if (!opened) return null;
  const start = opened.index + opened[0].length;
  let depth = 1;
  for (let at = start; at < text.length; at++) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === "{") depth += 1;
    else if (text[at] === "}") depth -= 1;
    if (depth === 0) return text.slice(start, at);
  }
  return null;
}
