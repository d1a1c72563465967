import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./workspace.ts";

function load(...words: readonly string[]): {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
} {
  const script = join(root, "bench/src/load.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", "tsx", script, ...words], {
    encoding: "utf8",
  });
  return { status, out: stdout, err: stderr };
}

test("a bench documents its purpose and options and rejects others in one line", () => {
  const { status, out } = load("--help");
  expect(status).toBe(0);
  expect(out).toContain("`laconic serve` under clients half of whom are broken");
  expect(out).toContain("  --seconds <number> (default: 600)\n");
  expect(load("--second", "3")).toEqual({
    status: 2,
    out: "",
    err: "load.ts: Unknown option '--second'; see --help\n",
  });
  expect(load("--seconds", "many").err).toBe("load.ts: --seconds many: expected a number, such as 600; see --help\n");
});
