import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { LaconicError, thrownText } from "@laconic/core";
import { isModuleFile } from "./reference.ts";

/** SHA-256 of data files, of modules and of every file that they import, by absolute path. Packages are not followed. */
export type SourceFiles = Readonly<Record<string, string>>;

/**
 * What a module is made of, as files lie now.
 * @throws LaconicError `config_invalid` for a module that is not there or cannot be read, with place and line
 */
export async function sourceFilesOf(file: string): Promise<SourceFiles> {
  if (!isModuleFile(file) && existsSync(file)) return { [file]: await sha256OfFile(file) };
  const { build } = await compiler(file, import("esbuild"));
  const directory = dirname(file);
  try {
    const { metafile } = await build({
      entryPoints: [file],
      absWorkingDir: directory,
      bundle: true,
      write: false,
      metafile: true,
      packages: "external",
      logLevel: "silent",
      platform: "node",
      format: "esm",
      outdir: directory,
      // What Node would refuse, it refuses itself.
      loader: { ".json": "json", ".node": "empty", ".wasm": "empty", ".txt": "text" },
    });
    const paths = Object.keys(metafile.inputs).map((path) => resolve(directory, path));
    const hashes = await Promise.all(paths.toSorted().map(async (path) => [path, await sha256OfFile(path)] as const));
    return Object.fromEntries(hashes);
  } catch (error) {
    const [first] = (error as { errors?: readonly BuildMessage[] }).errors ?? [];
    const where = first?.location ? `${resolve(directory, first.location.file)}:${first.location.line}` : file;
    const message = first?.text ?? thrownText(error);
    throw new LaconicError("config_invalid", `${where} cannot be read: ${message}`, { file }, error);
  }
}

/**
 * What reads TypeScript: optional peers, 24 MB that only files of somebody's own need. `laconic` brings them.
 * @throws LaconicError `config_invalid` with the line that installs them
 */
export async function compiler<Compiler>(file: string, imported: Promise<Compiler>): Promise<Compiler> {
  try {
    return await imported;
  } catch (error) {
    const message = `${file} cannot be read: the packages tsx and esbuild are not installed: npm install tsx esbuild`;
    throw new LaconicError("config_invalid", message, { file }, error);
  }
}

interface BuildMessage {
  readonly text: string;
  readonly location: { readonly file: string; readonly line: number } | null;
}

/** 64 hexadecimal digits. */
export async function sha256OfFile(path: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
}

/** A path as it is kept in a folder: relative to it, with forward slashes. */
export function pathFrom(directory: string, path: string): string {
  return relative(directory, path).replaceAll("\\", "/");
}
