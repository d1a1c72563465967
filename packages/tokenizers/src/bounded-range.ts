import type { Template } from "@huggingface/jinja";

type Node = Record<string, unknown> & { type?: unknown };

/** As long as Jinja's sandbox allows, in which transformers runs templates. A much longer array ends the process, not its thread. */
const longest = 100_000;

/** No template can name a variable with a dot in it. */
const own = "bounded.range";

/**
 * Python's `range` for a parsed template, refusing what Jinja's sandbox refuses: the library's own makes an array of any length.
 * @returns the function that the template now names, to be handed over as a variable
 */
export function boundedRange(template: Template): Readonly<Record<string, unknown>> {
  rename(template.parsed);
  return { [own]: range };
}

function range(start: number, stop?: number, step = 1): number[] {
  const [first, end] = stop === undefined ? [0, start] : [start, stop];
  const count = Math.max(0, Math.ceil((end - first) / step));
  if (!(count <= longest)) throw new Error(`a range of ${count} elements is too long: at most ${longest}`);
  return Array.from({ length: count }, (_, i) => first + i * step);
}

/** Every mention of the name, however it is used; neither `x.range` nor `f(range=...)` mentions it. */
function rename(value: unknown): void {
  if (Array.isArray(value)) return value.forEach(rename);
  if (value instanceof Map) return [...value].flat().forEach(rename);
  if (typeof value !== "object" || value === null) return;
  const node = value as Node;
  const isNamed = node.type === "MemberExpression" && node["computed"] !== true;
  for (const [key, inner] of Object.entries(node)) {
    if (isNamed && key === "property") continue;
    if (node.type === "KeywordArgumentExpression" && key === "key") continue;
    rename(inner);
  }
  if (node.type === "Identifier" && node["value"] === "range") node["value"] = own;
}
