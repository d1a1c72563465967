import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { complaintAbout, done, laconic } from "./laconic-process.ts";

/** Limits under which Node itself starts; below them nothing of ours runs. */
function nodeStarts(limit: string): boolean {
  const script = "import('node:fs').then(({ readFileSync }) => readFileSync(process.execPath))";
  return spawnSync("bash", ["-c", `${limit} && exec "$@"`, "bash", process.execPath, "-e", script]).status === 0;
}

test.skipIf(process.platform !== "linux")(
  "too few open files, or too little memory, is a line of ours",
  { timeout: 600_000 },
  async ({ skip }) => {
    const limits = [
      "ulimit -n 30",
      "ulimit -n 31",
      "ulimit -n 33",
      "ulimit -n 36",
      "ulimit -v 3000000",
      "ulimit -v 8000000",
    ].filter(nodeStarts);
    if (limits.length === 0) return skip("Node does not start under these limits");
    // What is compiled once, in a process of another's, is read from then on. Where the compiler itself cannot start, nothing of ours runs.
    await done(laconic(["data", "ls"]));
    for (const before of limits) {
      const ended = await laconic(["data", "ls"], { before });
      if (/spawn \S*esbuild EMFILE/u.test(ended.err)) continue;
      expect([before, complaintAbout(ended)]).toEqual([before, null]);
    }
  },
);
