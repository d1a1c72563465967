import { copyFile, readFile, rm } from "node:fs/promises";
import { makeFolders, moveFile } from "@laconic/core/platform";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { LaconicError } from "@laconic/core";
import { optionCheck } from "@laconic/core/checks";
import { downloadFile } from "@laconic/hub";
import type { KnownFile } from "../data/benchmark.ts";
import { sha256Hex } from "../data/find-files.ts";
import { exemplarSources } from "./sources.ts";
import type { ExemplarSource, TextPlace } from "./sources.ts";

/** Where published texts are kept, and whether to fetch those that are missing. */
export interface ExemplarOptions {
  /** The data folder. */
  readonly folder: string;
  /** Only what is there already. */
  readonly offline?: boolean;
  /** Instead of `https://raw.githubusercontent.com/`: an https address, or a `file:` address of a folder laid out alike. */
  readonly mirror?: string;
  readonly signal?: AbortSignal;
  readonly fetch?: typeof fetch;
}

const checkOptions = optionCheck<ExemplarOptions>()("openExemplars", "folder offline mirror signal fetch");

/** The texts of a source, checked, and the files that they are of. */
export interface OpenedExemplars {
  readonly source: ExemplarSource;
  readonly texts: Readonly<Record<string, string>>;
  readonly files: readonly KnownFile[];
}

/** @throws LaconicError `config_invalid` naming those there are */
export function exemplarsNamed(name: string): ExemplarSource {
  const found = exemplarSources.find((each) => each.name === name);
  if (found) return found;
  const known = exemplarSources.map((each) => each.name).join(", ");
  throw new LaconicError("config_invalid", `there are no exemplars ${name}; there are ${known}`, { key: "exemplars" });
}

/** The files of a source, each once. */
export function filesOf({ texts }: ExemplarSource): KnownFile[] {
  return [...new Set(Object.values(texts).map(({ file }) => file))];
}

/**
 * The texts of a source: from the data folder, downloaded and checked first where they are missing.
 * @throws LaconicError `data_invalid` for a file that is missing offline, has other bytes, or lacks a text; what downloads throw
 */
export async function openExemplars(source: ExemplarSource, options: ExemplarOptions): Promise<OpenedExemplars> {
  checkOptions(options);
  const texts = new Map<string, string>();
  for (const file of filesOf(source)) texts.set(file.path, await contentOf(file, options));
  return {
    source,
    texts: Object.fromEntries(
      Object.entries(source.texts).map(([name, place]) => [
        name,
        textAt(texts.get(place.file.path) as string, place, `${source.name}: ${name}`),
      ]),
    ),
    files: filesOf(source),
  };
}

async function contentOf(file: KnownFile, options: ExemplarOptions): Promise<string> {
  const path = join(options.folder, file.path);
  const here = await readFile(path).catch(() => null);
  if (here === null && options.offline)
    throw new LaconicError("data_invalid", `there is no ${path}; get it with laconic data get --exemplars`, {
      file: path,
    });
  if (here === null) await bring(file, path, options);
  const bytes = here ?? (await readFile(path));
  const sha256 = sha256Hex(bytes);
  if (sha256 === file.sha256) return bytes.toString("utf8");
  throw new LaconicError(
    "data_invalid",
    `${path} is not the published file: its sha256 is ${sha256}, expected ${file.sha256}; remove it and get it again`,
    { file: path, sha256 },
  );
}

async function bring(file: KnownFile, path: string, { mirror, signal, fetch }: ExemplarOptions): Promise<void> {
  const below = new URL(file.url).pathname.slice(1);
  if (mirror?.startsWith("file:")) return copy(new URL(below, folderUrl(mirror)), file, path);
  const url = mirror === undefined ? file.url : new URL(below, folderUrl(mirror)).href;
  const { bytes, sha256 } = file;
  await downloadFile({ url, bytes, sha256, path, ...(signal && { signal }), ...(fetch && { fetch }) });
}

/** Named only once it is whole and right. */
async function copy(from: URL, { sha256 }: KnownFile, path: string): Promise<void> {
  const part = `${path}.part`;
  await makeFolders(dirname(path));
  try {
    await copyFile(fileURLToPath(from), part);
  } catch (error) {
    throw new LaconicError("data_invalid", `there is no ${fileURLToPath(from)}`, { file: path }, error);
  }
  if (sha256Hex(await readFile(part)) === sha256) return moveFile(part, path);
  await rm(part);
  throw new LaconicError("data_invalid", `${fileURLToPath(from)} is not the published file`, { file: path });
}

function folderUrl(mirror: string): string {
  return mirror.endsWith("/") ? mirror : `${mirror}/`;
}

/** @throws LaconicError `data_invalid` where the pattern finds nothing */
function textAt(content: string, { pattern, escaped }: TextPlace, name: string): string {
  if (pattern === undefined) return content.trim();
  const multiline = pattern.flags.includes("m") ? pattern : new RegExp(pattern.source, `${pattern.flags}m`);
  const found = multiline.exec(content)?.[1];
  if (found === undefined) throw new LaconicError("data_invalid", `${name} is not in its file`, { name });
  if (escaped !== "joined") return escaped ? unescaped(found) : found;
  return [...found.matchAll(/"((?:[^"\\]|\\.)*)"/gu)].map(([, part = ""]) => unescaped(part)).join("");
}

/** A Python string's `\n`, quotes and backslashes; any other escape stays, as in Python. */
function unescaped(text: string): string {
  return text.replaceAll(/\\([n"'\\])/gu, (_, letter: string) => (letter === "n" ? "\n" : letter));
}
