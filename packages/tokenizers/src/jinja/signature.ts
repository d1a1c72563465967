import { refusal, unsupported } from "./errors.ts";
import type { Arguments, Native, Value } from "./values.ts";

/**
 * Functions by name and parameters without the first, such as `join(d, attribute)`. Their defaults are those of the function. A
 * `/` at the end means that no argument is a keyword.
 */
export function table<Self = Value>(
  functions: Readonly<Record<string, (self: Self, ...values: Value[]) => Value>>,
): [string, Native<Self>][] {
  return Object.entries(functions).map(([signature, run]) => {
    const [name = "", ...rest] = signature.split(/[(),]\s*/).filter((part) => part !== "");
    const hasKeywords = rest.at(-1) !== "/";
    const parameters = hasKeywords ? rest : rest.slice(0, -1);
    const bound = (call: Arguments): Value[] => bind(name, parameters, hasKeywords, run.length - 1, call);
    return [name, (self, call) => run(self, ...bound(call))];
  });
}

/** Functions of Jinja or Python that are rejected by name when they are called. */
export function rejected(kind: string, names: string): [string, Native<unknown>][] {
  return names.split(/\s+/).map((name) => [
    name,
    () => {
      throw unsupported(`${kind}${name}`);
    },
  ]);
}

/**
 * Values of the parameters, as Python binds a call; undefined where a default applies.
 * @throws LaconicError for missing, unknown, repeated and unsupported arguments.
 */
function bind(
  name: string,
  parameters: readonly string[],
  hasKeywords: boolean,
  needed: number,
  { list, named }: Arguments,
): Value[] {
  if (list.length > parameters.length) throw unsupported(`${name} with ${list.length} arguments`);
  for (const key of named.keys())
    if (!hasKeywords || parameters.indexOf(key) < list.length)
      throw unsupported(`${name} with a keyword argument ${key}`);
  const values = parameters.map((key, i) => (i < list.length ? list[i] : named.get(key)));
  if (values.slice(0, needed).includes(undefined)) throw refusal(`${name}() misses one of its arguments`);
  return values as Value[];
}
