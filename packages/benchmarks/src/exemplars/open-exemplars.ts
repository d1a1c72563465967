import { copyFile, readFile, rm } from "node:fs/promises";
import { makeFolders, moveFile } from "@laconic/core/platform";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { configError, dataError, mapValues, present } from "@laconic/core";
import { optionCheck } from "@laconic/core/checks";
import { downloadFile } from "@laconic/hub";
import type { KnownFile } from "../data/benchmark.ts";
import { sha256Hex } from "../data/open-split.ts";
import table from "../../assets/exemplars.json" with { type: "json" };

interface TextPlace {
  readonly file: KnownFile;
  /** First group is the text. Default: the whole trimmed file. */
  readonly pattern?: RegExp;
  /** Escaped Python string; `joined`: adjacent strings. */
  readonly escaped?: true | "joined";
}

/** Published prompts, never shipped. */
export interface ExemplarSource {
  readonly name: string;
  readonly title: string;
  readonly licence: string;
  readonly texts: Readonly<Record<string, TextPlace>>;
  readonly examples: number;
  /** Source of the method's training prompts, where they differ. */
  readonly training?: string;
}

/** `assets/exemplars.json`. */
interface Table {
  readonly repositories: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, Pick<KnownFile, "bytes" | "sha256">>>;
  readonly sources: readonly (Omit<ExemplarSource, "texts"> & { readonly texts: readonly TextGroup[] })[];
}

/** Texts of a file by name; null for the whole file. */
interface TextGroup {
  readonly file: string;
  readonly strings?: true | "joined";
  readonly texts: Readonly<Record<string, string | null>>;
}

const { repositories, files, sources } = table as unknown as Table;

const knownFiles = new Map(
  Object.entries(files).map(([name, bytes]): [string, KnownFile] => {
    const [owner, repository, ...path] = name.split("/");
    const below = `${owner}/${repository}/${repositories[`${owner}/${repository}`]}/${path.join("/")}`;
    return [name, { path: `exemplars/${below}`, url: `https://raw.githubusercontent.com/${below}`, ...bytes }];
  }),
);

/** All sources. */
export const exemplarSources: readonly ExemplarSource[] = sources.map(({ texts, ...source }) => ({
  ...source,
  texts: Object.fromEntries(
    texts.flatMap(({ file, strings, texts: patterns }) =>
      Object.entries(patterns).map(([name, pattern]): [string, TextPlace] => [
        name,
        {
          file: knownFiles.get(file)!,
          ...(pattern !== null && { pattern: new RegExp(pattern, "mu") }),
          ...present({ escaped: strings }),
        },
      ]),
    ),
  ),
}));

/** Data folder, and whether to download. */
export interface ExemplarOptions {
  readonly folder: string;
  readonly offline?: boolean;
  /** Mirror of `https://raw.githubusercontent.com/`: https or `file:`. */
  readonly mirror?: string;
  readonly signal?: AbortSignal;
  readonly fetch?: typeof fetch;
}

const checkOptions = optionCheck<ExemplarOptions>()("openExemplars", "folder offline mirror signal fetch");

/** Checked texts with their files. */
export interface OpenedExemplars {
  readonly source: ExemplarSource;
  readonly texts: Readonly<Record<string, string>>;
  readonly files: readonly KnownFile[];
}

/** @throws LaconicError `config_invalid` */
export function exemplarsNamed(name: string): ExemplarSource {
  const exemplarSource = exemplarSources.find((item) => item.name === name);
  if (exemplarSource) return exemplarSource;
  const names = exemplarSources.map((item) => item.name).join(", ");
  throw configError(`unknown exemplars ${name}; there are ${names}`, { key: "exemplars" });
}

/** Distinct files of a source. */
export function filesOf({ texts }: ExemplarSource): KnownFile[] {
  return [...new Set(Object.values(texts).map(({ file }) => file))];
}

/**
 * Opens a source's texts; downloads and checks missing files.
 * @throws LaconicError `data_invalid` for a missing or changed file or text; download errors
 */
export async function openExemplars(source: ExemplarSource, options: ExemplarOptions): Promise<OpenedExemplars> {
  checkOptions(options);
  const texts = new Map<string, string>();
  for (const file of filesOf(source)) texts.set(file.path, await contentOf(file, options));
  return {
    source,
    texts: mapValues(source.texts, (textPlace, name) =>
      textAt(texts.get(textPlace.file.path)!, textPlace, `${source.name}: ${name}`),
    ),
    files: filesOf(source),
  };
}

/** A method's published texts. */
export interface InstalledTexts extends Pick<ExemplarSource, "name" | "examples"> {
  readonly texts: Readonly<Record<string, string>>;
  readonly sha256: string;
}

/**
 * Opens the texts of a source that is on disk.
 * @throws LaconicError `config_invalid` for an unknown name, `data_invalid` for a missing or changed file
 */
export async function installedTexts(name: string, folder: string): Promise<InstalledTexts> {
  const { source, texts } = await openExemplars(exemplarsNamed(name), { folder, offline: true });
  const sha256 = sha256Hex(Buffer.from(JSON.stringify(texts)));
  return { name, examples: source.examples, texts, sha256 };
}

async function contentOf(file: KnownFile, options: ExemplarOptions): Promise<string> {
  const path = join(options.folder, file.path);
  const here = await readFile(path).catch(() => null);
  if (here === null && options.offline)
    throw dataError(`${path} not found; get it with laconic data get --exemplars`, {
      file: path,
    });
  if (here === null) await bring(file, path, options);
  const bytes = here ?? (await readFile(path));
  const sha256 = sha256Hex(bytes);
  if (sha256 === file.sha256) return bytes.toString("utf8");
  throw dataError(
    `${path} is not the published file: its sha256 is ${sha256}, expected ${file.sha256}; remove it and get it again`,
    { file: path, sha256 },
  );
}

async function bring(file: KnownFile, path: string, { mirror, signal, fetch }: ExemplarOptions): Promise<void> {
  const source =
    mirror === undefined ? null : new URL(new URL(file.url).pathname.slice(1), mirror.replace(/\/?$/u, "/"));
  if (source?.protocol === "file:") return copy(source, file, path);
  const url = source?.href ?? file.url;
  const { bytes, sha256 } = file;
  await downloadFile({ url, bytes, sha256, path, ...present({ signal, fetch }) });
}

/** Renames after the check. */
async function copy(from: URL, { sha256 }: KnownFile, path: string): Promise<void> {
  const part = `${path}.part`;
  await makeFolders(dirname(path));
  try {
    await copyFile(fileURLToPath(from), part);
  } catch (error) {
    throw dataError(`${fileURLToPath(from)} not found`, { file: path }, error);
  }
  if (sha256Hex(await readFile(part)) === sha256) return moveFile(part, path);
  await rm(part);
  throw dataError(`${fileURLToPath(from)} is not the published file`, { file: path });
}

/** @throws LaconicError `data_invalid` without a match */
function textAt(content: string, { pattern, escaped }: TextPlace, name: string): string {
  if (pattern === undefined) return content.trim();
  const multiline = pattern.flags.includes("m") ? pattern : new RegExp(pattern.source, `${pattern.flags}m`);
  // Python reads both line ends as `\n`.
  const match = multiline.exec(escaped ? content.replaceAll("\r\n", "\n") : content)?.[1];
  if (match === undefined) throw dataError(`${name} is not in its file`, { name });
  if (escaped !== "joined") return escaped ? unescaped(match) : match;
  return [...match.matchAll(/"((?:[^"\\]|\\.)*)"/gu)].map(([, part = ""]) => unescaped(part)).join("");
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([n"'\\])/gu, (_, letter: string) => (letter === "n" ? "\n" : letter));
}
