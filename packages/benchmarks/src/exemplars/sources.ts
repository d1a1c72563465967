import table from "../../assets/exemplars.json" with { type: "json" };
import type { KnownFile } from "../data/benchmark.ts";

/** Where a text stands in a published file: all of it, or the first group of a pattern. */
export interface TextPlace {
  readonly file: KnownFile;
  /** Absent: the whole file, without white space at its ends. */
  readonly pattern?: RegExp;
  /** It is a Python string with escapes, or `joined`: several behind each other, which Python joins. */
  readonly escaped?: true | "joined";
}

/** Texts that a method's authors published and its requests are written with. They are fetched, never shipped. */
export interface ExemplarSource {
  readonly name: string;
  readonly title: string;
  /** As the repository states it. */
  readonly licence: string;
  readonly texts: Readonly<Record<string, TextPlace>>;
  /** Worked examples of each request. */
  readonly examples: number;
}

/** `assets/exemplars.json`: commits of repositories, files by `owner/repository/path`, and sources. */
interface Table {
  readonly repositories: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, Pick<KnownFile, "bytes" | "sha256">>>;
  readonly sources: readonly (Omit<ExemplarSource, "texts"> & { readonly texts: readonly TextGroup[] })[];
}

/** Texts of one file by name, each by the source of its pattern; null for the whole file. */
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

/** All sources, by the names that protocols know them by. */
export const exemplarSources: readonly ExemplarSource[] = sources.map(({ texts, ...source }) => ({
  ...source,
  texts: Object.fromEntries(
    texts.flatMap(({ file, strings, texts: patterns }) =>
      Object.entries(patterns).map(([name, pattern]): [string, TextPlace] => [
        name,
        {
          file: knownFiles.get(file) as KnownFile,
          ...(pattern !== null && { pattern: new RegExp(pattern, "mu") }),
          ...(strings !== undefined && { escaped: strings }),
        },
      ]),
    ),
  ),
}));
