import { exactJson } from "@laconic/core/json";

export function objectTexts(text: string): string[] {
  const [first, last] = [text.indexOf("{"), text.lastIndexOf("}")];
  const flat = /\{[^{}]{0,4000}\}/su.exec(text)?.[0];
  return [...(first >= 0 && last > first ? [text.slice(first, last + 1)] : []), ...(flat === undefined ? [] : [flat])];
}

/** First JSON object in a reply, parsed and never run; null without one. */
export function firstObject(text: string): Readonly<Record<string, unknown>> | null {
  for (const candidate of objectTexts(text)) {
    try {
      const value = exactJson(candidate);
      if (typeof value === "object" && value !== null) return { ...value };
    } catch {
      // try the next candidate
    }
  }
  return null;
}
