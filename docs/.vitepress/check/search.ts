import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** What people ask, and a page that has to be among so many first results: by default what a phone shows without scrolling. */
export type Asked = readonly [query: string, page: string, among?: number];

/** What of MiniSearch is used; VitePress brings it. */
interface Index {
  search(query: string, options: object): { id: string }[];
}

/** Asks the index that the site ships, as the search box does; every query whose page is not among the first results. */
export async function unansweredQueries(
  folder: string,
  base: string,
  { options, searchOptions }: { readonly options: object; readonly searchOptions: object },
  asked: readonly Asked[],
): Promise<readonly string[]> {
  const chunks = join(folder, "assets", "chunks");
  const file = readdirSync(chunks).find((name) => name.startsWith("@localSearchIndex"));
  if (file === undefined) throw new Error(`${chunks} holds no search index`);
  const { default: json } = (await import(pathToFileURL(join(chunks, file)).href)) as { default: string };
  const require = createRequire(createRequire(import.meta.url).resolve("vitepress"));
  const { default: MiniSearch } = (await import(pathToFileURL(require.resolve("minisearch")).href)) as {
    default: { loadJSON(json: string, options: object): Index };
  };
  const index = MiniSearch.loadJSON(json, {
    fields: ["title", "titles", "text"],
    storeFields: ["title", "titles"],
    ...options,
  });
  return asked.flatMap(([query, page, among = 5]) => {
    const found = index
      .search(query, searchOptions)
      .slice(0, among)
      .map(({ id }) => id);
    const wanted = `${base}${page.slice(1)}`;
    return found.some((id) => id === wanted || id.startsWith(`${wanted}#`))
      ? []
      : [`${query}: ${page} is not among ${found.join(", ")}`];
  });
}
