import { LaconicError } from "@laconic/core";
import type { BaselineOptions, RunProgram } from "../protocols/baseline.ts";
import { protocolName } from "../protocols/protocol-for.ts";
import type { Protocol } from "../protocols/protocol.ts";

/**
 * What programs of a protocol are run with; null where it runs none.
 * @throws LaconicError `config_invalid` without `runProgram`: a model's program runs in a sandbox or not at all
 */
export function runnerOf(protocol: Protocol, { runProgram }: Pick<BaselineOptions, "runProgram">): RunProgram | null {
  if (!protocol.runsPrograms) return null;
  if (runProgram) return runProgram;
  throw new LaconicError(
    "config_invalid",
    `${protocolName(protocol)} runs programs that a model writes: give runProgram, which runs them in a sandbox`,
    { protocol: protocol.id },
  );
}

/** Characters: an answer, within what a plan allows a call for its own words. */
const longest = 100;

/** The last line that a program printed; null where it failed or printed nothing. */
export function printedBy({ output, error }: Awaited<ReturnType<RunProgram>>): string | null {
  const last = output.trimEnd().split("\n").at(-1)?.trim() ?? "";
  return error === null && last !== "" ? last.slice(0, longest) : null;
}
