import { LaconicError } from "@laconic/core";

/** Deeper than anything that is written by hand or by a run; what walks a value does so by recursion. */
const deepest = 100;

/**
 * Parses JSON that somebody wrote.
 * @param place - file or word that it comes from
 * @throws LaconicError `config_invalid` naming the place, for text that is not JSON, or nested without end
 */
export function parseJson(text: string, place: string): unknown {
  if (depthOf(text) > deepest)
    throw new LaconicError("config_invalid", `${place} is nested more than ${deepest} levels deep`, { place });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new LaconicError("config_invalid", `${place} is not JSON: ${(error as Error).message}`, { place }, error);
  }
}

/** Of brackets outside of strings. */
function depthOf(text: string): number {
  let [depth, most, inString] = [0, 0, false];
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (inString) {
      if (char === "\\") i += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "[" || char === "{") most = Math.max(most, ++depth);
    else if (char === "]" || char === "}") depth -= 1;
  }
  return most;
}
