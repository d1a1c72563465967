import { readFile } from "node:fs/promises";
import { dependenciesOf } from "./dependencies.ts";

/** What a project is made with. */
export interface ProjectOptions {
  /** As npm takes it. */
  readonly name: string;
  /** Of training; the template's when absent. */
  readonly steps?: number | undefined;
}

const templates = new URL("../../assets/init/", import.meta.url);

/** Files by their names in the project: npm packs no `.gitignore`. */
const sources = {
  "task.ts": "task.ts",
  "run.config.ts": "run.config.ts",
  "task.test.ts": "task.test.ts",
  "tsconfig.json": "tsconfig.json",
  "README.md": "README.md",
  ".gitignore": "gitignore",
} as const;

/** Names of all files of a project, in the order in which one reads them. */
export const projectFileNames: readonly string[] = [...Object.keys(sources), "package.json"];

/**
 * The files of a new project, by name.
 * @param folder - where they will lie
 */
export async function projectFiles(
  folder: string,
  { name, steps }: ProjectOptions,
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const [file, source] of Object.entries(sources)) {
    const text = await readFile(new URL(source, templates), "utf8");
    files.set(file, text.replaceAll("{{name}}", name));
  }
  if (steps !== undefined)
    files.set("run.config.ts", (files.get("run.config.ts") ?? "").replace(/\bsteps: \d+/u, `steps: ${steps}`));
  files.set("package.json", `${JSON.stringify(manifestOf(folder, name), null, 2)}\n`);
  return files;
}

function manifestOf(folder: string, name: string): object {
  return {
    name,
    version: "0.0.0",
    private: true,
    type: "module",
    scripts: { test: "tsc && node --import tsx --test task.test.ts", train: "laconic train" },
    ...dependenciesOf(folder),
    engines: { node: ">=20.19" },
  };
}
