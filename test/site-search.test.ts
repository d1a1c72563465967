import MiniSearch from "minisearch";
import { expect, test } from "vitest";
import { readText, repositoryFiles } from "./workspace.ts";

/** Words that newcomers type, each with the pages that answer. */
const answers: readonly (readonly [term: string, pages: string])[] = [
  ["GRPO", "papers from-trl"],
  ["GSPO", "papers"],
  ["LoRA", "devices faq scale/index"],
  ["KL", "own-values papers"],
  ["advantage", "papers own-values concepts"],
  ["checkpoint", "faq start"],
  ["resume", "start"],
  ["vLLM", "samplers"],
  ["SGLang", "samplers"],
  ["Tinker", "scale/index"],
  ["tool", "environments"],
  ["MCP", "environments"],
  ["debate", "policies"],
  ["critic", "own-values"],
  ["self-play", "policies"],
  ["curriculum", "own-values"],
  ["W&B", "view metrics"],
  ["TensorBoard", "view start"],
  ["CUDA", "devices"],
  ["WebGPU", "devices playground"],
  ["OpenAI", "endpoint samplers"],
  ["AI SDK", "endpoint environments"],
  ["GSM8K", "bench data"],
  ["MATH", "grading data"],
  ["pass@k", "grading bench"],
  ["token price", "concepts"],
  ["budget", "concepts"],
  ["silence", "results/tellers concepts"],
  ["frontier", "concepts results/quickstart"],
  ["sandbox", "grading"],
  ["seed", "start concepts"],
  ["preset", "papers"],
  ["sweep", "your-own-task"],
  ["ablation", "results/quickstart results/story-worlds"],
  ["verify", "verify"],
  ["export", "view"],
  ["Windows", "faq devices"],
  ["Python", "faq devices"],
  ["cost", "faq concepts"],
  ["license", "faq"],
];

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

/** The index and search options of VitePress. */
const index = new MiniSearch({
  fields: ["title", "titles", "text"],
  searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } },
});
index.addAll(
  repositoryFiles()
    .filter((path) => /^docs\/(?:results\/|scale\/|benchmarks\/)?[\w-]+\.md$/u.test(path))
    .flatMap(sectionsOf),
);

test.each(answers)("the site's search for %s finds one of %s in its first three pages", (term, pages) => {
  const found = index.search(term).map(({ id }) => String(id).replace(/#\d+$/u, ""));
  expect([...new Set(found)].slice(0, 3)).toContainEqual(expect.toBeOneOf(pages.split(" ")));
});
