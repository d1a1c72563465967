import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { anyonesPython, leftOpen, obstacle, printedBy, users } from "../as-user.ts";
import { openCanary } from "./canary.ts";
import { escapes } from "./sections.ts";
import type { Tried } from "./try-escapes.ts";

const script = new URL("try-escapes.ts", import.meta.url);

test("there are a hundred ways out, and every one is another", () => {
  const [names, programs] = [escapes().map(({ name }) => name), escapes().map(({ program }) => program)];
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(programs).size).toBe(programs.length);
  expect(escapes().filter(({ isCall }) => !isCall).length).toBeGreaterThan(100);
});

test.skipIf(process.platform !== "linux" || !existsSync(anyonesPython))(
  "the canary notices the same programs where no sandbox is",
  { timeout: 120_000 },
  async () => {
    const canary = await openCanary();
    const open = [...Array.from({ length: leftOpen - 3 }, () => "ignore" as const), "pipe" as const];
    const bare = escapes().filter(({ name, isSeen }) => isSeen && (canary.hasIPv6 || !name.includes("IPv6")));
    const unnoticed: string[] = [];
    try {
      for (const { name, program } of bare) {
        const { stdout, stderr } = spawnSync(anyonesPython, ["-I", "-c", canary.prelude + program], {
          cwd: tmpdir(),
          encoding: "utf8",
          stdio: ["ignore", "pipe", "pipe", ...open],
          timeout: 30_000,
        });
        await new Promise((done) => setTimeout(done, 20)); // listeners hear of it in this process
        if ((await canary.signs(stdout + stderr)).length === 0) unnoticed.push(`${name}: ${stderr.slice(-200)}`);
      }
      expect(unnoticed).toEqual([]);
      expect(bare.length).toBeGreaterThan(50);
    } finally {
      await canary.close();
    }
  },
);

/** Who is not root: that root is kept in as well is tried at night. */
const anybody = users.slice(1);

test.for(["wasi", "bubblewrap"].flatMap((kind) => anybody.map((user) => [kind, ...user] as const)))(
  "nothing gets out of %s, started by %s",
  { timeout: 240_000 },
  async ([kind, , user], { skip }) => {
    const reason = obstacle(user, script);
    if (reason !== null) return skip(reason);
    const result = await printedBy<Tried>(user, script, [kind, "quick", anyonesPython]);
    if ("missing" in result) return skip(result.missing);
    expect(result).toMatchObject({ user, problems: [] });
    expect(result.tried).toBeGreaterThan(75);
  },
);
