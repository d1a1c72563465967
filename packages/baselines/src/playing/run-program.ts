import { configError } from "@laconic/core";
import type { BaselineOptions, RunProgram } from "../protocols/baseline.ts";
import { protocolName } from "../protocols/protocol-for.ts";
import type { Protocol } from "../protocols/protocol.ts";

/**
 * Runner for a protocol's programs; null if it runs none.
 * @throws LaconicError `config_invalid` without `runProgram`, because a model's program only runs in a sandbox
 */
export function runnerOf(protocol: Protocol, { runProgram }: Pick<BaselineOptions, "runProgram">): RunProgram | null {
  if (!protocol.runsPrograms) return null;
  if (runProgram) return runProgram;
  throw configError(`${protocolName(protocol)} runs model-written programs: pass runProgram, which uses a sandbox`, {
    protocol: protocol.id,
  });
}

/** Max characters, within a plan's budget per call. */
const longest = 100;

/** Last printed line; null after a failure. */
export function printedBy({ output, error }: Awaited<ReturnType<RunProgram>>): string | null {
  const last = output.trimEnd().split("\n").at(-1)?.trim() ?? "";
  return error === null && last !== "" ? last.slice(0, longest) : null;
}
