import type { Template } from "@huggingface/jinja";

type Node = Record<string, unknown> & { type?: unknown };

/** What Python's `str.strip` removes by default; JavaScript's `trim` differs. */
const whiteSpace =
  "\t\n\v\f\r\u001c\u001d\u001e\u001f \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";

const ends = { strip: [true, true], lstrip: [true, false], rstrip: [false, true] } as const;

type Strip = keyof typeof ends;

/** No template can name a variable with a dot in it. */
const nameOf = (method: Strip): string => `str.${method}`;

/**
 * Python's `strip`, `lstrip`, `rstrip` and Jinja's `trim` for a parsed template: the library's own ignore which characters
 * they are given, and Qwen's and DeepSeek's templates give them.
 *
 * @returns the functions that the template's calls now name, to be handed over as variables
 */
export function pythonStrings(template: Template): Readonly<Record<string, unknown>> {
  rewrite(template.parsed);
  return Object.fromEntries(
    Object.entries(ends).map(([method, [left, right]]) => [
      nameOf(method as Strip),
      (text: unknown, characters: unknown) => strip(text, characters, left, right),
    ]),
  );
}

function strip(text: unknown, characters: unknown, left: boolean, right: boolean): string {
  if (text === undefined) return ""; // an undefined variable prints as nothing
  if (typeof text !== "string") throw new TypeError("only text can be stripped");
  const taken = new Set(typeof characters === "string" ? characters : whiteSpace);
  const all = Array.from(text);
  let start = 0;
  let end = all.length;
  while (left && start < end && taken.has(all[start] as string)) start++;
  while (right && end > start && taken.has(all[end - 1] as string)) end--;
  return all.slice(start, end).join("");
}

function rewrite(value: unknown): void {
  if (Array.isArray(value)) return value.forEach(rewrite);
  if (value instanceof Map) return [...value].flat().forEach(rewrite);
  if (typeof value !== "object" || value === null) return;
  const node = value as Node;
  Object.values(node).forEach(rewrite);
  if (node.type === "CallExpression") rewriteMethod(node);
  if (node.type === "FilterExpression") rewriteTrim(node);
}

/** `text.strip(x)` becomes a call of a function with the text as its first argument. */
function rewriteMethod(node: Node): void {
  const callee = node["callee"] as Node;
  if (callee.type !== "MemberExpression" || callee["computed"] === true) return;
  const name = callee["property"] as Node;
  if (!Object.hasOwn(ends, name["value"] as string)) return;
  name["value"] = nameOf(name["value"] as Strip);
  node["args"] = [callee["object"], ...(node["args"] as readonly unknown[])];
  node["callee"] = name;
}

/** `text | trim(x)` likewise. */
function rewriteTrim(node: Node): void {
  const filter = node["filter"] as Node;
  const called = filter.type === "CallExpression";
  const name = (called ? filter["callee"] : filter) as Node;
  if (name["value"] !== "trim") return;
  name["value"] = nameOf("strip");
  node["args"] = [node["operand"], ...(called ? (filter["args"] as readonly unknown[]) : [])];
  node["callee"] = name;
  node.type = "CallExpression";
}
