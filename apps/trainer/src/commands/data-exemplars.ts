import {
  exemplarsNamed,
  exemplarSources,
  filesOf,
  openExemplars,
  type ExemplarOptions,
  type ExemplarSource,
} from "@laconic/benchmarks/exemplars";
import { LaconicError } from "@laconic/core";
import type { Terminal } from "../cli/terminal.ts";
import { visibleJson } from "../cli/visible-json.ts";

/** What `data` takes to speak of published texts instead of benchmarks. */
export const exemplarFlag = {
  exemplars: {
    type: "boolean" as const,
    description: "The published examples and prompts of methods, not a benchmark",
  },
};

/** Where they are fetched from. */
export const mirrorFlag = {
  mirror: {
    type: "string" as const,
    description: "With --exemplars: instead of https://raw.githubusercontent.com/, or file:///FOLDER/",
    valueHint: "address",
  },
};

/** A source, and what of it a folder holds. */
interface ExemplarState {
  readonly name: string;
  readonly title: string;
  readonly licence: string;
  readonly examples: number;
  readonly files: readonly { readonly path: string; readonly url: string; readonly sha256: string }[];
  /** Null where all files are here and right. */
  readonly problem: string | null;
}

/** One by name, or all. @throws LaconicError `config_invalid` naming those there are */
function chosen(name: string | undefined): readonly ExemplarSource[] {
  return name === undefined ? exemplarSources : [exemplarsNamed(name)];
}

async function stateOf(source: ExemplarSource, options: ExemplarOptions): Promise<ExemplarState> {
  const { name, title, licence, examples } = source;
  const files = filesOf(source).map(({ path, url, sha256 }) => ({ path, url, sha256 }));
  try {
    await openExemplars(source, options);
    return { name, title, licence, examples, files, problem: null };
  } catch (error) {
    if (!LaconicError.is(error)) throw error;
    return { name, title, licence, examples, files, problem: error.message };
  }
}

/** Brings them or, offline, looks at what is there: one line a source. @returns 1 where one is missing or damaged */
export async function bringExemplars(
  name: string | undefined,
  options: ExemplarOptions,
  json: boolean,
  terminal: Terminal,
): Promise<number> {
  const states: ExemplarState[] = [];
  // One after the other: several share a file.
  for (const source of chosen(name)) states.push(await stateOf(source, options));
  if (json) terminal.result(visibleJson({ folder: options.folder, exemplars: states }));
  else
    for (const state of states) {
      const { licence, examples, problem } = state;
      const files = state.files.map(({ path, sha256 }) => `\n  ${path}\n  sha256 ${sha256}`).join("");
      terminal.result(
        `${problem === null ? "ok     " : "problem"}  ${state.name}: ${state.title}, ${examples} examples, licence ${licence}${problem === null ? files : `\n  ${problem}`}`,
      );
    }
  return states.every(({ problem }) => problem === null) ? 0 : 1;
}

/** Which there are, and which are here. */
export async function listExemplars(folder: string, json: boolean, terminal: Terminal): Promise<void> {
  const states = await Promise.all(exemplarSources.map((source) => stateOf(source, { folder, offline: true })));
  if (json) terminal.result(visibleJson({ folder, exemplars: states }));
  else
    for (const { name, title, licence, problem } of states)
      terminal.result(`${problem === null ? "here" : "-   "}  ${name.padEnd(20)} ${title}; ${licence}`);
}

/** The texts of one source. */
export async function showExemplars(
  name: string,
  options: ExemplarOptions,
  json: boolean,
  printed: (text: string) => string,
  terminal: Terminal,
): Promise<void> {
  const { texts, source } = await openExemplars(exemplarsNamed(name), options);
  if (json) terminal.result(visibleJson({ name, licence: source.licence, texts }));
  else for (const [key, text] of Object.entries(texts)) terminal.result(`# ${name}: ${key}\n${printed(text)}\n`);
}
