import { LaconicError } from "@laconic/core";
import type { SandboxJob, SandboxLimits } from "./sandbox.ts";

/** What a run is given: sizes and names that were checked. */
export interface CheckedJob {
  readonly code: string;
  readonly stdin: string;
  readonly files: Readonly<Record<string, string>>;
  readonly seconds: number;
  readonly outputBytes: number;
}

/** @throws LaconicError `config_invalid` naming the limit that holds nothing */
export function checkLimits(limits: SandboxLimits): void {
  const max = { seconds: 1e9, memoryMiB: 2 ** 20, outputBytes: 2 ** 28, inputBytes: 99_999_999 } as const;
  for (const key of Object.keys(max) as (keyof typeof max)[])
    if (!(limits[key] > 0 && limits[key] <= max[key]))
      throw new LaconicError(
        "config_invalid",
        `${key} is ${limits[key]}, expected a number above 0, at most ${max[key]}`,
        {
          key,
        },
      );
}

/** @throws LaconicError `input_invalid` naming what is refused */
export function checkJob({ code, stdin = "", files = {}, seconds }: SandboxJob, limits: SandboxLimits): CheckedJob {
  const bytes = [code, stdin, ...Object.values(files)].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > limits.inputBytes)
    throw new LaconicError(
      "input_invalid",
      `a program, its input and its files may have ${limits.inputBytes} bytes, got ${bytes}`,
      { bytes },
    );
  const name = Object.keys(files).find((each) => !/^[\w-][\w.-]{0,63}$/u.test(each));
  if (name !== undefined)
    throw new LaconicError(
      "input_invalid",
      `the file name ${JSON.stringify(name)} is refused: letters, digits, "_", "-", "."`,
      { name },
    );
  if (seconds !== undefined && !(seconds > 0))
    throw new LaconicError("input_invalid", `seconds is ${seconds}, expected a positive number`, { seconds });
  return {
    code,
    stdin,
    files,
    seconds: Math.min(seconds ?? limits.seconds, limits.seconds),
    outputBytes: limits.outputBytes,
  };
}
