import { readFile } from "node:fs/promises";
import { dependenciesOf } from "./dependencies.ts";
import { templates, type Template, type TemplateName } from "./templates.ts";

/** What a project is made with. */
export interface ProjectOptions {
  /** As npm takes it. */
  readonly name: string;
  /** Of training; the template's when absent. */
  readonly steps?: number | undefined;
  /** `team` when absent. */
  readonly template?: TemplateName | undefined;
}

const assets = new URL("../../assets/init/", import.meta.url);

/** Files by their names in a project, and where they lie; npm packs no `.gitignore`. Most templates share all but their own. */
function sourcesOf(template: TemplateName): Readonly<Record<string, string>> {
  const shared = template === "team" ? "team" : "examples";
  const own = Object.fromEntries(Object.keys(templates[template].holds).map((name) => [name, `${template}/${name}`]));
  return {
    ...(template === "team" && { "task.ts": "team/task.ts" }),
    ...own,
    "run.config.ts": `${shared}/run.config.ts`,
    "task.test.ts": `${shared}/task.test.ts`,
    "tsconfig.json": "tsconfig.json",
    "README.md": `${shared}/README.md`,
    ".gitignore": "gitignore",
  };
}

/** Names of all files of a project, in the order in which one reads them. */
export function projectFileNames(template: TemplateName): readonly string[] {
  return [...Object.keys(sourcesOf(template)), "package.json"];
}

/**
 * The files of a new project, by name.
 * @param folder - where they will lie
 */
export async function projectFiles(
  folder: string,
  { name, steps, template = "team" }: ProjectOptions,
): Promise<ReadonlyMap<string, string>> {
  const { about, holds, imports }: Template = templates[template];
  const rows = Object.entries(holds).map(([file, what]) => `| \`${file}\` | ${what} |\n`);
  const words = { "{{name}}": name, "{{about}}": about, "{{files}}": rows.join("") };
  const files = new Map<string, string>();
  for (const [file, source] of Object.entries(sourcesOf(template))) {
    const text = await readFile(new URL(source, assets), "utf8");
    files.set(
      file,
      Object.entries(words).reduce((written, [mark, word]) => written.replaceAll(mark, word), text),
    );
  }
  if (steps !== undefined)
    files.set("run.config.ts", (files.get("run.config.ts") ?? "").replace(/^( {4})steps: \d+/mu, `$1steps: ${steps}`));
  files.set("package.json", `${JSON.stringify(manifestOf(folder, name, imports), null, 2)}\n`);
  return files;
}

function manifestOf(folder: string, name: string, imports: readonly string[]): object {
  return {
    name,
    version: "0.0.0",
    private: true,
    type: "module",
    scripts: { test: "tsc && node --import tsx --test task.test.ts", train: "laconic train" },
    ...dependenciesOf(folder, imports),
    engines: { node: ">=20.19" },
  };
}
