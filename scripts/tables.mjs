// Writes the marked tables of all Markdown pages from their rows (scripts/lib/tables.mjs). test/tables.test.ts checks them.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./lib/root.mjs";
import { withTables } from "./lib/tables.mjs";

for (const page of execFileSync("git", ["ls-files", "*.md"], { cwd: root, encoding: "utf8" }).trim().split("\n")) {
  const text = readFileSync(join(root, page), "utf8");
  const written = withTables(text);
  if (written === text) continue;
  writeFileSync(join(root, page), written);
  console.log(page);
}
