import { configError, dataError } from "@laconic/core";
import { sha256 } from "@laconic/core/files";
import { type Benchmark, splitOf } from "../data/benchmark.ts";
import { loadSplit, madeFile, type FoundFile, type LoadedSplit } from "../data/load-split.ts";
import type { OpenOptions } from "../data/open-split.ts";

/** @throws LaconicError `config_invalid`: browsers have no folders */
export async function findFiles(_benchmark: Benchmark, _split: string, path: string): Promise<FoundFile[]> {
  const reason = "a browser has no folders; read the file and give its bytes to loadSplit";
  throw configError(`${path}: ${reason}`, { path });
}

/**
 * Fetches and checks a pinned file without caching.
 * @throws LaconicError `data_invalid`, `config_invalid`
 */
export async function openSplit(benchmark: Benchmark, options: OpenOptions): Promise<LoadedSplit> {
  const name = options.split ?? benchmark.defaultSplit;
  const [file] = splitOf(benchmark, name).files ?? [];
  const made = madeFile(benchmark, name);
  if (made) return loadSplit(benchmark, name, [made], options);
  if (!file || options.from === "hub" || options.offline)
    throw configError(`${benchmark.title}, split ${name}: a browser fetches pinned files only`, {
      key: "from",
    });
  const { signal } = options;
  const reply = await (options.fetch ?? fetch)(file.url, { ...(signal && { signal }) });
  if (!reply.ok) throw dataError(`${file.url}: HTTP ${reply.status}`, { file: file.url });
  const bytes = new Uint8Array(await reply.arrayBuffer());
  return loadSplit(benchmark, name, [{ path: file.path, bytes, sha256: sha256(bytes) }], options);
}

/** @throws LaconicError `config_invalid`: browsers have no local files */
export async function openData(): Promise<never> {
  const reason = "data files are read in Node; give a browser's task its problems as values";
  throw configError(reason, { key: "data" });
}

export { openData as openProblems };
