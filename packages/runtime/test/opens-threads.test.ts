import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { loadSource } from "../src/resolver/load-source.ts";

test("a run's file can open an engine, a grader and a tokenizer during its import", async () => {
  const { opened } = await loadSource(fileURLToPath(new URL("threads-fixture.ts", import.meta.url)));
  expect(opened).toEqual(["wasm", true, [1]]);
});
