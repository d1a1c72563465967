import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { entry } from "../../test/laconic.ts";

test("a closed reader ends the process quietly, as SIGPIPE does", async () => {
  for (const closed of ["stdout", "stderr"] as const) {
    const words = closed === "stdout" ? ["completion", "bash"] : ["trian"];
    const child = spawn(process.execPath, [entry, ...words], { stdio: ["ignore", "pipe", "pipe"] });
    child[closed].destroy();
    const replies: Buffer[] = [];
    const open = closed === "stdout" ? child.stderr : child.stdout;
    open.on("data", (piece: Buffer) => replies.push(piece));
    const ended: unknown = await once(child, "close");
    // On a busy machine it says what it loads.
    const other = String(Buffer.concat(replies)).replaceAll(/^.* \.\.\.\n/gmu, "");
    expect([closed, ended, other]).toEqual([closed, [141, null], ""]);
  }
});

test("the process exits with the error's code and prints one object with --json", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [entry, "trian", "--json"], { encoding: "utf8" });
  expect([status, JSON.parse(stdout)]).toEqual([
    2,
    { error: { code: "usage", message: "Unknown command trian; did you mean train?" } },
  ]);
  expect(stderr).toContain("laconic: Unknown command trian");
});
