import { refusal, unsupported } from "./errors.ts";
import type { Native, Value } from "./values.ts";

/**
 * Builds functions from signatures without the first parameter, such as `join(d, attribute)`; a trailing `/`
 * disallows keyword arguments. Missing optional arguments are undefined.
 */
export function table<Self = Value>(
  functions: Readonly<Record<string, (self: Self, ...values: Value[]) => Value>>,
): [string, Native<Self>][] {
  return Object.entries(functions).map(([signature, run]) => {
    const [name = "", ...rest] = signature.split(/[(),]\s*/).filter((part) => part !== "");
    const hasKeywords = rest.at(-1) !== "/";
    const parameters = hasKeywords ? rest : rest.slice(0, -1);
    const bound: Native<Self> = (self, { list, named }) => {
      const stray = Array.from(named.keys()).find((key) => !hasKeywords || parameters.indexOf(key) < list.length);
      if (stray !== undefined) throw unsupported(`${name} with a keyword argument ${stray}`);
      if (list.length > parameters.length) throw unsupported(`${name} with ${list.length} arguments`);
      const values = parameters.map((key, i) => (i < list.length ? list[i] : named.get(key)));
      if (values.slice(0, run.length - 1).includes(undefined)) throw refusal(`${name}() lacks an argument`);
      return run(self, ...(values as Value[]));
    };
    return [name, bound];
  });
}

export function rejected(kind: string, names: string): [string, Native<unknown>][] {
  return names.split(/\s+/).map((name) => [
    name,
    () => {
      throw unsupported(`${kind}${name}`);
    },
  ]);
}
