import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { publishedPackages, readText, root } from "./workspace.ts";

interface Page {
  readonly name: string;
  readonly path: string;
  /** The package that the examples are compiled in: they may import it and what it depends on. */
  readonly home: string;
}

const pages: readonly Page[] = [
  ...publishedPackages.map(({ folder, manifest: { name } }) => ({ name, path: `${folder}/README.md`, home: folder })),
  ...["README.md", ...readdirSync(join(root, "docs")).map((file) => `docs/${file}`)]
    .filter((path) => path.endsWith(".md"))
    .map((path) => ({ name: path, path, home: "examples" })),
];

const examples = pages
  .filter(({ path }) => existsSync(join(root, path)))
  .flatMap(({ name, path, home }) =>
    [...readText(path).matchAll(/^```ts\n(.*?)^```$/gms)].map((match, i) => ({
      name: `${name}, example ${i + 1}`,
      file: `${home}/.readme/${path.replaceAll(/\W/g, "-")}-${i + 1}.ts`,
      code: `${match[1] ?? ""}\nexport {};\n`,
    })),
  );
const folders = [...new Set([".readme", ...examples.map(({ file }) => join(file, ".."))])];
const clean = (): Promise<unknown> =>
  Promise.all(folders.map((folder) => rm(join(root, folder), { recursive: true, force: true })));
let diagnostics = "";

beforeAll(async () => {
  await clean();
  await Promise.all(folders.map((folder) => mkdir(join(root, folder), { recursive: true })));
  await Promise.all(examples.map(({ file, code }) => writeFile(join(root, file), code)));
  const config = {
    extends: "../tsconfig.base.json",
    compilerOptions: { noEmit: true },
    files: examples.map(({ file }) => `../${file}`),
  };
  await writeFile(join(root, ".readme/tsconfig.json"), JSON.stringify(config));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  diagnostics = await new Promise((resolve) => {
    execFile(process.execPath, [tsc, "-p", ".readme", "--pretty", "false"], { cwd: root }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}, 120_000);
afterAll(clean);

describe("examples in READMEs and docs type-check", () => {
  test.each(examples)("$name", ({ file }) => {
    expect(diagnostics.split("\n").filter((line) => line.startsWith(file))).toEqual([]);
  });

  test("and so do the sources they import", () => {
    expect(diagnostics.split("\n").filter((line) => line !== "" && !line.includes("/.readme/"))).toEqual([]);
  });
});
