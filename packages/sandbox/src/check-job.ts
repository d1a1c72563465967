import { LaconicError } from "@laconic/core";
import type { SandboxJob, SandboxLimits } from "./sandbox.ts";

/** What a run is given: sizes and names that were checked. */
export interface CheckedJob extends Required<Omit<SandboxJob, "signal">> {
  readonly outputBytes: number;
}

const max = { seconds: 1e9, memoryMiB: 2 ** 20, outputBytes: 2 ** 28, inputBytes: 99_999_999 } as const;

/** @throws LaconicError `config_invalid` naming the limit that holds nothing */
export function checkLimits(limits: SandboxLimits): void {
  const key = (Object.keys(max) as (keyof typeof max)[]).find(
    (name) => !(limits[name] > 0 && limits[name] <= max[name]),
  );
  if (key === undefined) return;
  const reason = `${key} is ${limits[key]}, expected a number above 0, at most ${max[key]}`;
  throw new LaconicError("config_invalid", reason, { key });
}

/** @throws LaconicError `input_invalid` naming what is refused */
export function checkJob({ code, stdin = "", files = {}, seconds }: SandboxJob, limits: SandboxLimits): CheckedJob {
  const refuse = (reason: string, detail: object): LaconicError =>
    new LaconicError("input_invalid", reason, { ...detail });
  const bytes = [code, stdin, ...Object.values(files)].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > limits.inputBytes)
    throw refuse(`a program, its input and its files may have ${limits.inputBytes} bytes, got ${bytes}`, { bytes });
  const name = Object.keys(files).find((each) => !/^[\w-][\w.-]{0,63}$/u.test(each));
  if (name !== undefined)
    throw refuse(`the file name ${JSON.stringify(name)} is refused: letters, digits, "_", "-", "."`, { name });
  if (seconds !== undefined && !(seconds > 0))
    throw refuse(`seconds is ${seconds}, expected a positive number`, { seconds });
  const { outputBytes } = limits;
  return { code, stdin, files, seconds: Math.min(seconds ?? limits.seconds, limits.seconds), outputBytes };
}
