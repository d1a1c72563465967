import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const folder = new URL(".", import.meta.url);

test("the audit imports nothing that it audits: of the packages errors, readers of JSON, the form of a run folder and text for people alone", async () => {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  expect(files.length).toBeGreaterThan(15);
  for (const file of files) {
    const text = await readFile(new URL(file, folder), "utf8");
    const imports = Array.from(
      text.matchAll(/^import (?:type )?(.*?) from "(.*?)";$/gms),
      ([, what, from]) => `${from}: ${what}`,
    );
    const others = imports.filter((each) => !/^(?:node:|\.\/)/.test(each));
    const allowed =
      /^@laconic\/core: \{ (?:boundedJson|LaconicError|boundedJson, LaconicError) \}$|^@laconic\/core\/(?:run-folder|text): |^@laconic\/core: \{ Problem \}$/u;
    expect([file, others.filter((each) => !allowed.test(each))]).toEqual([file, []]);
  }
});
