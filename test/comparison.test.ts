import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const docs = join(import.meta.dirname, "../docs");
const devices = { cpu: 2, wasm: 3 } as const;

test("the shares of TRL's step in the comparison are the newest that were recorded", () => {
  const rows = readFileSync(join(docs, "benchmarks/step.jsonl"), "utf8").trim().split("\n");
  const newest = new Map<string, string>();
  for (const row of rows) {
    const {
      model,
      on,
      "of trl": share,
    } = JSON.parse(row) as { model?: string; on?: string; "of trl"?: { step: number } };
    if (share && on && on in devices) newest.set(`${model} ${on}`, share.step.toFixed(2));
  }
  const page = readFileSync(join(docs, "comparison.md"), "utf8");
  const table = [...page.matchAll(/^\| ([\d.]+M) \| (\S+) \| ([^|]+) \|$/gm)];
  const said = table.flatMap((cells) =>
    Object.entries(devices).map(([on, column]) => [`${cells[1]} ${on}`, cells[column]?.trim()] as const),
  );
  expect(new Map(said.filter(([, share]) => share !== "not measured"))).toEqual(newest);
});
