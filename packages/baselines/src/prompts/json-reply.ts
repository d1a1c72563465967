import { boundedJson } from "@laconic/core";
/**
 * The JSON object in a model's reply, read and never run: everything between the outer braces, or the first object without any inside.
 * Null where there is none.
 */
export function firstObject(text: string): Readonly<Record<string, unknown>> | null {
  const [first, last] = [text.indexOf("{"), text.lastIndexOf("}")];
  const flat = /\{[^{}]{0,4000}\}/su.exec(text)?.[0];
  const candidates = [...(first >= 0 && last > first ? [text.slice(first, last + 1)] : []), ...(flat ? [flat] : [])];
  for (const candidate of candidates) {
    try {
      const value: unknown = boundedJson(candidate);
      if (typeof value === "object" && value !== null) return { ...value };
    } catch {
      // the next one
    }
  }
  return null;
}
