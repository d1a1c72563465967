import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const folder = new URL(".", import.meta.url);

/** Errors, readers of JSON, types of what is stored, and the seeded stream: nothing that computes a value of a run. */
const fromCore =
  "LaconicError configError environmentName randomFromSeed Random Problem Utterance LedgerCall TokenTrace".split(" ");

test("nothing is imported from what is checked: of core its forms and readers, of other packages nothing", async () => {
  const files = (await readdir(folder, { recursive: true })).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
  );
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) {
    const text = await readFile(new URL(file, folder), "utf8");
    const imports = [...text.matchAll(/^import (?:type )?\{(.*?)\} from "(.*?)";$/gms)];
    expect(imports).toHaveLength([...text.matchAll(/^import /gm)].length);
    const others = imports.filter(([, names = "", from = ""]) => {
      if (/^(?:node:|\.{1,2}\/)|^@laconic\/core\/(?:files|json|platform|run-folder|text)$/u.test(from)) return false;
      const taken = names.split(",").map((name) => name.replace(/^\s*(?:type\s)?/u, "").trim());
      return from !== "@laconic/core" || taken.some((name) => name !== "" && !fromCore.includes(name));
    });
    expect([file, others.map(([line]) => line)]).toEqual([file, []]);
  }
});
