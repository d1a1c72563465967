import { LaconicError } from "@laconic/core";
import type { Benchmark } from "./benchmark.ts";
import { aime24 } from "./entries/aime24.ts";
import { amc23 } from "./entries/amc23.ts";
import { aqua } from "./entries/aqua.ts";
import { gpqa, gpqaDiamond, gpqaExtended } from "./entries/gpqa.ts";
import { gsm8k } from "./entries/gsm8k.ts";
import { hotpotqa } from "./entries/hotpotqa.ts";
import { coopHumaneval, humaneval, humaneval161 } from "./entries/humaneval.ts";
import { livecodebench } from "./entries/livecodebench.ts";
import { math500 } from "./entries/math500.ts";
import { mbpp } from "./entries/mbpp.ts";
import { minerva } from "./entries/minerva.ts";
import { mmlu, mmluSubset } from "./entries/mmlu.ts";
import { mmluPro } from "./entries/mmlu-pro.ts";
import { multiarith } from "./entries/multiarith.ts";
import { olympiadbench } from "./entries/olympiadbench.ts";
import { svamp } from "./entries/svamp.ts";
import { arxiv, tldr } from "./entries/writing.ts";

/** Every benchmark, in the order tables list them. */
export const benchmarks: readonly Benchmark[] = [
  mmlu,
  mmluSubset,
  mmluPro,
  gpqa,
  gpqaDiamond,
  gpqaExtended,
  gsm8k,
  multiarith,
  svamp,
  aqua,
  math500,
  aime24,
  amc23,
  olympiadbench,
  minerva,
  hotpotqa,
  humaneval,
  humaneval161,
  coopHumaneval,
  mbpp,
  livecodebench,
  tldr,
  arxiv,
];

/** @throws LaconicError `config_invalid` naming those there are */
export function benchmarkNamed(name: string): Benchmark {
  const found = benchmarks.find((each) => each.name === name);
  if (found) return found;
  const known = benchmarks.map((each) => each.name).join(", ");
  throw new LaconicError("config_invalid", `there is no benchmark ${name}; there are ${known}`, { key: "benchmark" });
}
