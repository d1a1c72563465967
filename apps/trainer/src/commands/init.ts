import { choiceFlag, grouped, optionalPositional, textFlag, toggle, wholeFlag } from "../cli/arguments.ts";
import { relative, resolve, basename } from "node:path";
import { configError } from "@laconic/core";
import { shellWord } from "@laconic/core/text";
import { environmentValue } from "@laconic/runtime/folders";
import { command, type Command } from "../cli/command.ts";
import { printResult, type Terminal } from "../cli/terminal.ts";
import { checkFolder, writeProject } from "../init/write-project.ts";
import { templateNames, templates, type TemplateName } from "../init/templates.ts";
import { jsonFlag } from "../cli/flags.ts";

/** npm package name: lower case and URL-safe, with an optional scope. */
const valid = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/u;

/** Names reserved by npm, and those of the project's dependencies. */
const taken: ReadonlySet<string> = new Set(["node_modules", "favicon.ico", "laconic", "tsx", "typescript"]);

const longest = 214;

export function nameProblem(name: string): string | null {
  if (name.length > longest) return `it has ${name.length} characters, at most ${longest} are allowed`;
  if (taken.has(name) || name.startsWith("@laconic/")) return "it belongs to another package";
  return valid.test(name) ? null : "npm allows lower-case letters, digits and . _ - after a letter or digit";
}

/** Valid npm name closest to the folder's. */
export function nameOf(folder: string): string {
  const name = basename(resolve(folder))
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9._~-]+/gu, "-")
    .replaceAll(/^[._-]+|[._-]+$/gu, "")
    .slice(0, longest - "-team".length);
  if (nameProblem(name) === null) return name;
  return nameProblem(`${name}-team`) === null && name !== "" ? `${name}-team` : "laconic-team";
}

interface ProjectOptions {
  readonly folder: string;
  readonly name?: string | undefined;
  readonly steps?: number | undefined;
  readonly template: TemplateName;
}

const interrupted = 130;

export const initCommand: Command = command({
  description: "Write a project with a task, a run configuration and a test",
  examples: ["laconic init my-team --yes", "laconic init shop --template chat --steps 20 --yes"],
  args: {
    folder: optionalPositional("Project folder (default: this folder)"),
    ...grouped("Input", {
      yes: toggle("Use the defaults without questions", "y"),
      template: choiceFlag(
        `Template: ${templateNames.map((name) => `${name}, ${templates[name].title}`).join("; ")}`,
        templateNames,
        "team",
      ),
    }),
    ...grouped("Output", { name: textFlag("Name in package.json (default: the folder's)", "name") }),
    ...grouped("Limits", { steps: wholeFlag()("Training steps (default: 60 for team, otherwise 20)", "n") }),
    ...jsonFlag,
  },
  run: async (args, { terminal }) => {
    const { name, steps, template } = args;
    const input = { folder: args.folder ?? ".", name, steps, template };
    if (input.folder === "") throw configError("the folder's name is empty; name a folder");
    const { question } = terminal;
    const asks = question !== undefined && !args.yes && !args.json;
    const answer = asks ? await ask(question, input, args.folder !== undefined, terminal) : input;
    if (answer === null) return interrupted;
    await write(answer, args.json, terminal);
    return 0;
  },
});

/** Asks for missing options; null at end of input. Refuses an invalid folder before the next question. */
async function ask(
  question: NonNullable<Terminal["question"]>,
  { folder, name, steps, template }: ProjectOptions,
  folderGiven: boolean,
  terminal: Terminal,
): Promise<ProjectOptions | null> {
  /** Default for an empty line; asks again after a `problem`. */
  const answer = async (
    what: string,
    fallback: string,
    problem: (text: string) => string | null,
  ): Promise<string | null> => {
    for (;;) {
      const text = await question(`${what} (${fallback}): `);
      if (text === null) return null;
      const wrong = problem(text.trim() || fallback);
      if (wrong === null) return text.trim() || fallback;
      terminal.note(`  ${wrong}`);
    }
  };
  const location = folderGiven ? folder : await answer("Folder", folder, () => null);
  if (location === null) return null;
  await checkFolder(resolve(location), template);
  const title = name ?? (await answer("Name in package.json", nameOf(location), nameProblem));
  if (title === null) return null;
  const count =
    steps ??
    (await answer("Steps of training", template === "team" ? "60" : "20", (text) =>
      /^[1-9]\d*$/u.test(text) ? null : `${text} is not a whole number from 1`,
    ));
  return count === null ? null : { folder: location, name: title, steps: Number(count), template };
}

async function write(
  { folder, name = nameOf(folder), steps, template }: ProjectOptions,
  json: boolean,
  terminal: Terminal,
): Promise<void> {
  const problem = nameProblem(name);
  if (problem !== null)
    throw configError(`--name: "${name}" is not a package name: ${problem}; choose another name`, { name });
  const path = resolve(folder);
  if (environmentValue("LACONIC_PACK") !== undefined)
    terminal.note("Packing Laconic's packages from this clone, which takes about a minute the first time.");
  const files = await writeProject(path, { name, steps, template });
  const location = relative(process.cwd(), path);
  const enter = location === "" ? [] : [`cd ${shellWord(location)}`];
  const next = [...enter, "npm install", "npm test", "npx @laconic/cli train", "npx @laconic/cli eval runs/train"];
  printResult(terminal, json, { folder: path, name, files, next }, () =>
    [`${name}: ${files.join(", ")} in ${path}`, "", "Next:", ...next.map((line) => `  ${line}`)].join("\n"),
  );
}
