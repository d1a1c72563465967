import MiniSearch from "minisearch";
import { expect, test } from "vitest";
import answers from "./fixtures/search-terms.json" with { type: "json" };
import { readText, repositoryFiles } from "./workspace.ts";

/** Sections of a page as VitePress indexes them: heading, headings above it, text. */
function sectionsOf(path: string): readonly object[] {
  const above: string[] = [];
  const page = readText(path).replace(/^---\n[^]*?\n---\n/u, "");
  return page.split(/^(?=#{1,6} )/mu).map((section, i) => {
    const [heading = "", marks = "", title = ""] = /^(#{1,6}) (.*)$/mu.exec(section) ?? [];
    above.splice(Math.max(0, marks.length - 1), Infinity, title);
    const text = section.slice(heading.length).replaceAll(/\]\([^)]*\)|<[^<>]*>|[`*|[]/gu, " ");
    return { id: `${path.slice("docs/".length, -".md".length)}#${i}`, title, titles: above.slice(0, -1), text };
  });
}

const index = new MiniSearch({
  fields: ["title", "titles", "text"],
  searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } },
});
index.addAll(
  repositoryFiles()
    .filter((path) => /^docs\/(?:results\/|scale\/|benchmarks\/)?[\w-]+\.md$/u.test(path))
    .flatMap(sectionsOf),
);

test.each(Object.entries(answers))(
  "the site's search for %s finds one of %s in its first three pages",
  (term, pages) => {
    const matches = index.search(term).map(({ id }) => String(id).replace(/#\d+$/u, ""));
    expect([...new Set(matches)].slice(0, 3)).toContainEqual(expect.toBeOneOf(pages.split(" ")));
  },
);
