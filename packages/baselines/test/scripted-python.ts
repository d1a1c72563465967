import type { RunProgram } from "../src/protocols/baseline.ts";

/**
 * Replaces an interpreter for known test programs: runs the last definition of `double` (returns `2 * x` or `x + N`),
 * its assertions, and `print` of a text or a sum. Text of models never reaches it.
 */
export const scriptedPython: RunProgram = async (program) => {
  if (program.includes("sys.exit(0)")) return { output: "", error: null };
  const body = /return (2 \* x|x \+ \d+)(?![^]*return )/u.exec(program)?.[1];
  const double = (x: number): number => (body === "2 * x" ? 2 * x : x + Number(body?.slice(4)));
  for (const [, x, wanted] of program.matchAll(/^assert double\((\d+)\) == (\d+)/gmu))
    if (double(Number(x)) !== Number(wanted)) return { output: "", error: "AssertionError" };
  const printed = [...program.matchAll(/^print\((.*)\)$/gmu)].map(([, what = ""]) => {
    const sum = /^(\d+) \+ (\d+)$/u.exec(what);
    return sum ? String(Number(sum[1]) + Number(sum[2])) : what.replaceAll('"', "");
  });
  return { output: printed.join("\n"), error: program.includes("raise ") ? "ValueError: no" : null };
};
