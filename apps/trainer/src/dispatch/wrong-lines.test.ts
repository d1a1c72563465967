import { join } from "node:path";
import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import lines from "./wrong-lines.json" with { type: "json" };
import { laconic } from "../../test/laconic.ts";

test.each(Object.entries(lines))("laconic %s", async (line, location) => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "bad.json"), `{"train":`);
  const words = line.split(" ").map((word) => word.replace("DIR", folder));
  const { code, out, err } = await laconic(...words);
  const [message = ""] = err.split("\n").filter((text) => text.startsWith("laconic: "));
  expect([code, out]).toEqual([2, ""]);
  expect(message).toContain(location.replace("DIR", folder));
  expect(message).toMatch(/; |expected|Expected|needs|must be/u);
});
