import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { anyonesPython, leftOpen } from "../as-user.ts";
import { openCanary } from "./canary.ts";
import { escapes } from "./sections.ts";

export const noBareRuns: boolean = process.platform !== "linux" || !existsSync(anyonesPython);

/** Runs every n-th escape without a sandbox. Returns those that the canary missed. */
export async function runBare(every: number): Promise<{ readonly tried: number; readonly unnoticed: string[] }> {
  const canary = await openCanary();
  const open = [...Array.from({ length: leftOpen - 3 }, () => "ignore" as const), "pipe" as const];
  const bare = escapes()
    .filter(({ name, isSeen }) => isSeen && (canary.hasIPv6 || !name.includes("IPv6")))
    .filter((_, i) => i % every === 0);
  const unnoticed: string[] = [];
  try {
    for (const { name, program } of bare) {
      const { stdout, stderr } = spawnSync(anyonesPython, ["-I", "-c", canary.prelude + program], {
        cwd: tmpdir(),
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe", ...open],
        timeout: 5000, // some do not end by themselves
        killSignal: "SIGKILL",
      });
      await new Promise((done) => setTimeout(done, 20)); // listeners in this process notice
      if ((await canary.signs(stdout + stderr)).length === 0) unnoticed.push(`${name}: ${stderr.slice(-200)}`);
    }
  } finally {
    await canary.close();
  }
  return { tried: bare.length, unnoticed };
}
