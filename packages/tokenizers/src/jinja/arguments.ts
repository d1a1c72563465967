import { refusal } from "./errors.ts";
import type { Arguments, Value } from "./values.ts";

/** Marks a parameter without a default. */
export const needed: unique symbol = Symbol("needed");

/** Names of a Python function's parameters in order, with their defaults. */
export type Parameters = Readonly<Record<string, Value | typeof needed>>;

/**
 * Values of the parameters, as Python binds a call.
 * @throws LaconicError for missing, unknown and repeated arguments.
 */
export function bind(name: string, parameters: Parameters, { list, named }: Arguments): Value[] {
  const names = Object.keys(parameters);
  if (list.length > names.length)
    throw refusal(`${name}() takes at most ${names.length} arguments (${list.length} given)`);
  for (const key of named.keys()) {
    const position = names.indexOf(key);
    if (position < 0) throw refusal(`${name}() got an unexpected keyword argument '${key}'`);
    if (position < list.length) throw refusal(`${name}() got multiple values for argument '${key}'`);
  }
  return names.map((key, i) => {
    const value = i < list.length ? list[i] : (named.get(key) ?? (named.has(key) ? null : parameters[key]));
    if (value === needed || value === undefined) throw refusal(`${name}() missing a required argument: '${key}'`);
    return value;
  });
}

/** The arguments of a function that takes no keywords, such as most methods of str. */
export function positional(name: string, { list, named }: Arguments, fewest: number, most: number): readonly Value[] {
  if (named.size > 0) throw refusal(`${name}() takes no keyword arguments`);
  if (list.length < fewest || list.length > most)
    throw refusal(`${name}() expected ${fewest} to ${most} arguments, got ${list.length}`);
  return list;
}

/** Filters and tests by name, for filters that apply others. */
export interface Applied {
  filter(name: string, call: Arguments): Value;
  test(name: string, call: Arguments): boolean;
}

/** A filter; the first argument is its input. */
export type Filter = (call: Arguments, applied: Applied) => Value;

/** A filter from the parameters and body of a Python function. */
export function filter(parameters: Parameters, run: (...values: Value[]) => Value): Filter {
  return (call) => run(...bind("filter", parameters, call));
}
