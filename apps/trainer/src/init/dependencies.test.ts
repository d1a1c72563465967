import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { dependenciesOf, installedFiles } from "./write-project.ts";

afterEach(() => vi.unstubAllEnvs());

async function installation(
  packages: Readonly<Record<string, { resolved?: string; link?: boolean }>>,
): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "project/node_modules/@laconic/cli"), { recursive: true });
  await writeFile(join(folder, "project/node_modules/.package-lock.json"), JSON.stringify({ packages }));
  for (const name of ["cli", "core"]) await writeFile(join(folder, `${name}.tgz`), "");
  return folder;
}

test("a project depends on the package versions that wrote it", async () => {
  const { dependencies, devDependencies } = await dependenciesOf("anywhere");
  expect(Object.keys(dependencies)).toEqual(["@laconic/cli", "@laconic/core", "@laconic/tasks", "@laconic/topologies"]);
  const { version } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  for (const range of Object.values(dependencies)) expect(range).toBe(`^${version}`);
  // What this repository is checked with.
  const catalog = await readFile(new URL("../../../../pnpm-workspace.yaml", import.meta.url), "utf8");
  for (const [name, range] of Object.entries(devDependencies)) {
    const [, pinned] = new RegExp(`^ {2}"?${name}"?: \\^?(\\S+)$`, "mu").exec(catalog) ?? [];
    expect({ [name]: range }).toEqual({ [name]: `^${pinned}` });
  }
});

test("a clone packs its packages, and the project depends on these tarballs", async () => {
  const folder = await temporaryFolder();
  const script = join(folder, "pack.mjs");
  const tarballs = { "@laconic/cli": join(folder, "cli.tgz"), "@laconic/gspo": join(folder, "gspo.tgz") };
  await writeFile(script, `console.log(${JSON.stringify(JSON.stringify(tarballs))});`);
  vi.stubEnv("LACONIC_PACK", script);
  const { dependencies } = await dependenciesOf(join(folder, "project"));
  expect(dependencies).toMatchObject({ "@laconic/cli": "file:../cli.tgz", "@laconic/gspo": "file:../gspo.tgz" });
});

test("packages installed from tarballs keep their relative path", async () => {
  const folder = await installation({
    "node_modules/@laconic/cli": { resolved: "file:../cli.tgz" },
    "node_modules/@laconic/core": { resolved: "file:../core.tgz" },
    "node_modules/@laconic/gone": { resolved: "file:../gone.tgz" },
    "node_modules/@laconic/linked": { resolved: "file:../linked", link: true },
    "node_modules/zod": { resolved: "file:../core.tgz" },
    "node_modules/x/node_modules/@laconic/core": { resolved: "file:../core.tgz" },
  });
  const cli = join(folder, "project/node_modules/@laconic/cli");
  expect(installedFiles(cli, join(folder, "project/demo"))).toEqual({
    "@laconic/cli": "file:../../cli.tgz",
    "@laconic/core": "file:../../core.tgz",
  });
});

test("packages installed from a registry keep their version", async () => {
  const folder = await installation({
    "node_modules/@laconic/cli": { resolved: "https://registry.example/@laconic/cli/-/cli-0.1.0.tgz" },
  });
  expect(installedFiles(join(folder, "project/node_modules/@laconic/cli"), folder)).toEqual({});
});

test("a missing or damaged npm record also keeps versions", async () => {
  const folder = await installation({});
  const cli = join(folder, "project/node_modules/@laconic/cli");
  const record = join(folder, "project/node_modules/.package-lock.json");
  await writeFile(record, "{");
  expect(installedFiles(cli, folder)).toEqual({});
  await rm(record);
  expect(installedFiles(cli, folder)).toEqual({});
});
