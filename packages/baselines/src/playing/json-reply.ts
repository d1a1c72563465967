import { exactJson } from "@laconic/core/json";

/** Texts that may be a JSON object: everything between the outer braces, or the first object without any inside. */
export function objectTexts(text: string): string[] {
  const [first, last] = [text.indexOf("{"), text.lastIndexOf("}")];
  const flat = /\{[^{}]{0,4000}\}/su.exec(text)?.[0];
  return [...(first >= 0 && last > first ? [text.slice(first, last + 1)] : []), ...(flat === undefined ? [] : [flat])];
}

/** The first JSON object in a model's reply; null without one. It is parsed and never run. */
export function firstObject(text: string): Readonly<Record<string, unknown>> | null {
  for (const candidate of objectTexts(text)) {
    try {
      const value = exactJson(candidate);
      if (typeof value === "object" && value !== null) return { ...value };
    } catch {
      // the next one
    }
  }
  return null;
}
