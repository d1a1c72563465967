import { derivative, integral, limit, substituted } from "../numbers/calculus.ts";
import { exactValue } from "../numbers/exact-value.ts";
import { isCall, type Json } from "../numbers/json.ts";

/** Parts of all expressions that sums and products of one answer are written out to. */
const maxParts = 5000;
const maxTerms = 1000;

/**
 * Calculates what `parseLatex` leaves of finite sums and products, integrals, limits and derivatives: exactly, or not at all.
 * What stays is a function that nobody knows, equal to itself alone.
 */
export function calculated(json: Json): Json {
  return visited(json, { parts: maxParts }, 0);
}

interface Budget {
  parts: number;
}

function visited(json: Json, budget: Budget, depth: number): Json {
  if (typeof json !== "object" || !isCall(json) || depth > 200) return json;
  const [head, ...rest] = json;
  const within = (part: Json): Json => visited(part, budget, depth + 1);
  const [body, quoted, first, second] = rest;
  const name = typeof quoted === "string" ? quoted.slice(1, -1) : "";
  if (typeof head !== "string" || !heads.has(head) || body === undefined || name === "")
    return [head as Json, ...rest.map((part) => within(part))];
  if (head === "Sum" || head === "Product") {
    const terms =
      first === undefined || second === undefined ? null : written(body, name, within(first), within(second), budget);
    if (!terms) return json;
    const empty = head === "Sum" ? 0 : 1;
    return [head === "Sum" ? "Add" : "Multiply", empty, ...terms.map((term) => within(["Delimiter", term]))];
  }
  const inner = within(body);
  if (size(inner) > maxParts / 50) return json;
  const [from, to] = [first, second].map((each) => (each === undefined ? null : within(each)));
  if (head === "D") return derivative(inner, name) ?? json;
  if (from === null || from === undefined) return json;
  if (head === "Limit") return limit(inner, name, from) ?? json;
  return (to === null || to === undefined ? null : integral(inner, name, from, to)) ?? json;
}

const heads = new Set(["Sum", "Product", "Integrate", "Limit", "D"]);

/** The terms, one for each whole number; null where the bounds are none, or the terms are too many. */
function written(body: Json, name: string, low: Json, high: Json, budget: Budget): Json[] | null {
  const [from, to] = [exactValue(low), exactValue(high)];
  if (!from || !to || from.d !== 1n || to.d !== 1n) return null;
  const [start, end] = [Number(from.s * from.n), Number(to.s * to.n)];
  const count = Math.max(0, end - start + 1);
  if (!Number.isSafeInteger(start) || !(count <= maxTerms)) return null;
  budget.parts -= count * size(body);
  if (budget.parts < 0) return null;
  return Array.from({ length: count }, (_, i) => {
    const index = start + i;
    return substituted(body, name, index < 0 ? ["Delimiter", ["Negate", -index]] : index);
  });
}

function size(json: Json): number {
  if (typeof json !== "object" || !isCall(json)) return 1;
  return json.slice(1).reduce<number>((sum, part) => sum + size(part), 1);
}
