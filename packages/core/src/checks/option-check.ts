import { configError } from "../errors.ts";
import { nameHint } from "../shapes/nearest-name.ts";

type Names<List extends string> = List extends `${infer First} ${infer Rest}` ? First | Names<Rest> : List;

type KeyList<T, List extends string> = [Names<List>, keyof T] extends [keyof T, Names<List>] ? List : never;

/**
 * Creates a check of a function's options, because unknown keys would be ignored.
 * @example const checkOptions = optionCheck<{ from: number; to?: number }>()("range", "from to");
 * @returns a function of the function's name and the keys of T, separated by spaces. Its result throws LaconicError
 * `config_invalid` for an unknown key, with the nearest known one
 */
export function optionCheck<T extends object>(): <List extends string>(
  name: string,
  keys: KeyList<T, List> & List,
) => (options: T) => void {
  return (name, keys) => {
    const knownNames = keys.split(" ");
    return (options) => {
      const key = Object.keys(options).find((text) => !knownNames.includes(text));
      if (key === undefined) return;
      throw configError(`${name}: unknown option ${key}; ${nameHint(key, knownNames)}`, { key });
    };
  };
}
