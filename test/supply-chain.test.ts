import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readText, root } from "./workspace.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Under which anybody may use, change and pass on what they install. */
const permissive = [
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
  "PSF-2.0",
  "Python-2.0",
  "Unlicense",
];

interface Component {
  readonly name: string;
  readonly purl: string;
  readonly licenses?: readonly { readonly license?: { readonly id?: string }; readonly expression?: string }[];
  readonly externalReferences?: readonly {
    readonly type: string;
    readonly hashes?: readonly { readonly alg: string }[];
  }[];
}

/** Of one licence or of a choice, such as `(AFL-2.1 OR MIT)`. */
function isPermissive({ licenses = [] }: Component): boolean {
  const texts = licenses.map(({ license, expression }) => license?.id ?? expression ?? "");
  const choices = texts.map((text) => text.replace(/^\((.*)\)$/u, "$1").split(" OR "));
  return choices.length > 0 && choices.every((choice) => choice.some((name) => permissive.includes(name)));
}

test("every installed dependency has a permissive licence and a checksum", async () => {
  const folder = await temporaryFolder();
  const { scripts } = JSON.parse(readText("package.json")) as { scripts: Record<string, string> };
  const words = scripts["sbom"]?.split(" ").slice(1) ?? [];
  await promisify(execFile)(
    process.execPath,
    [join(root, "node_modules/pnpm/bin/pnpm.mjs"), ...words.slice(0, -1), join(folder, "sbom.json")],
    { cwd: root },
  );
  const { components } = JSON.parse(await readFile(join(folder, "sbom.json"), "utf8")) as { components: Component[] };
  const installed = components.filter(({ purl }) => !purl.startsWith("pkg:npm/%40laconic/"));
  expect(installed.map(({ name }) => name)).toEqual(expect.arrayContaining(["zod", "openai", "koffi", "tiktoken"]));
  expect(installed.filter((component) => !isPermissive(component))).toEqual([]);
  const unchecked = installed.filter(
    ({ externalReferences = [] }) =>
      !externalReferences.some(
        ({ type, hashes }) => type === "distribution" && hashes?.some(({ alg }) => alg === "SHA-512"),
      ),
  );
  expect(unchecked).toEqual([]);
});

test("workflows pin actions by commit and have minimal write permissions", () => {
  for (const name of readdirSync(join(root, ".github/workflows"))) {
    const text = readText(`.github/workflows/${name}`);
    const actions = [...text.matchAll(/uses: (\S+)/gu)].map(([, action]) => action);
    expect(actions.length).toBeGreaterThan(0);
    expect(actions.filter((action) => !/@[0-9a-f]{40}$/u.test(action ?? ""))).toEqual([]);
    const { permissions } = parse(text) as { permissions?: Record<string, string> };
    expect(Object.values(permissions ?? { all: "write" }).filter((right) => right === "write")).toEqual([]);
  }
});

test("only named packages run install scripts", () => {
  const { allowBuilds = {} } = parse(readText("pnpm-workspace.yaml")) as { allowBuilds?: Record<string, boolean> };
  expect(Object.keys(allowBuilds).filter((name) => allowBuilds[name])).toEqual(["esbuild", "pnpm"]);
  const locked = parse(readText("pnpm-lock.yaml")) as {
    packages: Record<string, { resolution: { integrity?: string } }>;
  };
  const unchecked = Object.entries(locked.packages).filter(
    ([, { resolution }]) => !resolution.integrity?.startsWith("sha512-"),
  );
  expect(unchecked).toEqual([]);
});
