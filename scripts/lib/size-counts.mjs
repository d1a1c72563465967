import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.mjs";

const isCounted = (path) => /\.(?:ts|tsx|mts|mjs|js|cjs|css|html|py|sh)$/u.test(path);
const isTest = (path) => /\.test\.|\/test\/|^test\/|\/testing\//u.test(path);

/** `packages/core`, `apps/trainer`, or the first folder. */
const roomOf = (path) =>
  path
    .split("/")
    .slice(0, /^(?:packages|apps)\//u.test(path) ? 2 : 1)
    .join("/");

/** Lines and characters of tracked source, and lines of tests, by package. */
export function countSizes() {
  const counts = {};
  const files = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 }).split(
    "\0",
  );
  for (const path of files.filter((file) => isCounted(file) && existsSync(join(root, file)))) {
    const text = readFileSync(join(root, path), "utf8").replaceAll("\r\n", "\n");
    const lines = text.split("\n").length - 1;
    for (const room of [roomOf(path), "total"]) {
      const row = (counts[room] ??= { source: 0, bytes: 0, tests: 0 });
      if (isTest(path)) row.tests += lines;
      else {
        row.source += lines;
        row.bytes += Array.from(text).length;
      }
    }
  }
  return counts;
}

export function sizeFaults(counts, caps) {
  const units = { source: "source lines", bytes: "source bytes", tests: "test lines" };
  return Object.entries(counts).flatMap(([room, row]) =>
    Object.entries(units).flatMap(([unit, name]) => {
      const cap = caps[room]?.[unit] ?? 0;
      return row[unit] <= cap
        ? []
        : [`${room}: ${row[unit]} ${name}, ${row[unit] - cap} above its cap of ${cap}; remove lines elsewhere`];
    }),
  );
}
