import MiniSearch from "minisearch";
import { z } from "zod";
import { defineTool, type Tool } from "./tool.ts";

/** A document to search. */
export interface SearchDocument {
  readonly id: string;
  readonly title?: string;
  readonly text: string;
}

/** Options of `searchTool`. */
export interface SearchToolOptions {
  /** Default 3. */
  readonly results?: number;
  /** Characters per text. Default 500. */
  readonly characters?: number;
}

/** Searches with BM25+, in this process. */
export function searchTool(
  documents: readonly SearchDocument[],
  { results = 3, characters = 500 }: SearchToolOptions = {},
): Tool {
  const index = new MiniSearch<SearchDocument>({
    fields: ["title", "text"],
    searchOptions: { boost: { title: 2 }, prefix: true },
  });
  index.addAll(documents);
  const byId = new Map(documents.map((document) => [document.id, document]));
  return defineTool({
    name: "search",
    description: "Finds documents by words.",
    parameters: z.object({ query: z.string().max(1000) }),
    run({ query }) {
      const matches = index.search(query).slice(0, results);
      if (matches.length === 0) return "nothing found";
      return matches
        .map(({ id }) => {
          const { title, text } = byId.get(id as string)!;
          return `[${String(id)}]${title === undefined ? "" : ` ${title}`}\n${text.slice(0, characters)}`;
        })
        .join("\n\n");
    },
  });
}
