import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { publishedPackages, readText, repositoryFiles, root } from "./workspace.ts";

interface Page {
  readonly name: string;
  readonly path: string;
  readonly home: string;
}

const pages: readonly Page[] = [
  ...publishedPackages.map(({ folder, manifest: { name } }) => ({ name, path: `${folder}/README.md`, home: folder })),
  ...["README.md", ...repositoryFiles().filter((path) => /^docs\/.*\.md$/u.test(path))].map((path) => ({
    name: path,
    path,
    home: "examples",
  })),
];

const examples = pages
  .filter(({ path }) => existsSync(join(root, path)))
  .flatMap(({ name, path, home }) =>
    [...readText(path).matchAll(/^```ts\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?/gms)].map((match, i) => ({
      name: `${name}, example ${i + 1}`,
      file: `${home}/.readme/${path.replaceAll(/\W/g, "-")}-${i + 1}.ts`,
      code: `${match[1] ?? ""}\nexport {};\n`,
      /** Text block directly after the first example of a package's README. */
      output: path.startsWith("docs/") || i > 0 ? undefined : match[2],
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
    // Programs, not libraries: their exports need no written types.
    compilerOptions: { noEmit: true, isolatedDeclarations: false, declaration: false, declarationMap: false },
    files: examples.map(({ file }) => `../${file}`),
  };
  await writeFile(join(root, ".readme/tsconfig.json"), JSON.stringify(config));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  diagnostics = await new Promise((resolve) => {
    execFile(process.execPath, [tsc, "-p", ".readme", "--pretty", "false"], { cwd: root }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
});
afterAll(clean);

interface Outcome {
  readonly error: string | null;
  readonly printed: string;
}

async function runExamples(files: readonly string[]): Promise<Readonly<Record<string, Outcome>>> {
  const folder = await mkdtemp(join(tmpdir(), "laconic-readme-"));
  try {
    await writeFile(join(folder, "run.mjs"), runner(files));
    const child = execFile(
      process.execPath,
      ["--import", pathToFileURL(join(root, "node_modules/tsx/dist/esm/index.mjs")).href, "run.mjs"],
      { cwd: folder, env: { ...process.env, HF_HOME: folder, HF_HUB_OFFLINE: "1" } },
    );
    await once(child, "close");
    return JSON.parse(await readFile(join(folder, "outcomes.json"), "utf8")) as Record<string, Outcome>;
  } finally {
    await rm(folder, { recursive: true });
  }
}

function runner(files: readonly string[]): string {
  const urls = files.map((file) => [file, pathToFileURL(join(root, file)).href]);
  return `import { writeFileSync } from "node:fs";
import { format } from "node:util";
const outcomes = {};
for (const [file, url] of ${JSON.stringify(urls)}) {
  const outcome = { error: null, printed: "" };
  console.log = (...values) => void (outcome.printed += format(...values) + "\\n");
  await import(url).catch((error) => void (outcome.error = String(error?.stack ?? error)));
  outcomes[file] = outcome;
}
writeFileSync("outcomes.json", JSON.stringify(outcomes));
process.exit(0);
`;
}

describe("examples in READMEs and docs run", () => {
  let outcomes: Readonly<Record<string, Outcome>> = {};

  beforeAll(async () => {
    outcomes = await runExamples(examples.map(({ file }) => file));
  });

  test.each(examples)("$name", ({ file }) => {
    expect(outcomes[file]).toMatchObject({ error: null });
  });

  test.each(examples.filter(({ output }) => output !== undefined))("$name: output", ({ file, output }) => {
    expect(outcomes[file]?.printed).toBe(output);
  });
});

describe("examples in READMEs and docs type-check", () => {
  test.each(examples)("$name", ({ file }) => {
    expect(diagnostics.split("\n").filter((line) => line.startsWith(file))).toEqual([]);
  });

  test("the sources of the examples type-check", () => {
    expect(diagnostics.split("\n").filter((line) => line !== "" && !line.includes("/.readme/"))).toEqual([]);
  });
});
