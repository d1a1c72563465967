import { LaconicError } from "@laconic/core";
import type { Benchmark, Split } from "./benchmark.ts";

/** @throws LaconicError `config_invalid` naming the splits there are */
export function splitOf(benchmark: Benchmark, name: string): Split {
  const split = Object.hasOwn(benchmark.splits, name) ? benchmark.splits[name] : undefined;
  if (split) return split;
  const known = Object.keys(benchmark.splits).join(", ");
  throw new LaconicError("config_invalid", `${benchmark.name} has no split ${name}; it has ${known}`, { key: "split" });
}
