/** Shows a value in a message, without whole lists and objects. */
export function shownValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  return value.constructor?.name === "Object" || value.constructor === undefined
    ? "an object"
    : `a ${value.constructor.name}`;
}
