import { join } from "node:path";
import { defineConfig } from "vitepress";
import { designStyle } from "../../packages/core/src/design/tokens.ts";
import { mendApiAnchors } from "./api-anchors.ts";
import { linkFaults } from "./check/links.ts";
import { unansweredQueries } from "./check/search.ts";
import { askedQueries, searchWords } from "./search-words.ts";
import { sidebar } from "./sidebar.ts";

const base = process.env["LACONIC_DOCS_BASE"] ?? "/";
mendApiAnchors(join(import.meta.dirname, "../api"));

/** As the search box asks; both functions travel to the browser as text, and so use nothing from outside. */
const miniSearch = {
  options: {
    tokenize: (text: string): string[] => text.replaceAll(/w&(?:amp;)?b/giu, "wandb").split(/[\n\r\p{Z}\p{P}]+/u),
  },
  searchOptions: {
    fuzzy: 0.2,
    prefix: true,
    boost: { title: 4, text: 2, titles: 1 },
    // Guides before records, records before reference; and before all others the page that says what to do about a word that many use.
    boostDocument: (id: string, term: string): number => {
      const pages: Readonly<Record<string, string>> = {
        advantage: "concepts",
        budget: "concepts",
        checkpoint: "faq",
        cost: "concepts",
        cuda: "faq",
        judge: "own-data",
        kl: "papers",
        lora: "faq",
        rollout: "glossary",
        vllm: "samplers",
      };
      if (new RegExp(`/${pages[term]}(?:\\.html)?(?:#|$)`, "u").test(id)) return 12;
      return /\/api\//u.test(id) ? 0.3 : /\/(?:errors|decisions|data|protocols)\b/u.test(id) ? 0.6 : 2;
    },
  },
};

export default defineConfig({
  title: "Laconic",
  description: "Train teams of language models to say less and solve more.",
  lang: "en",
  base,
  cleanUrls: true,
  lastUpdated: false,
  srcExclude: ["README.md"],
  head: [
    ["link", { rel: "icon", type: "image/svg+xml", href: `${base}icon.svg` }],
    ["style", {}, designStyle(".dark")],
  ],
  markdown: { math: false, theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" } },
  themeConfig: {
    notFound: {
      title: "No page here",
      quote: "It may have been renamed. The search above finds every page.",
      linkText: "First page",
      linkLabel: "First page",
    },
    search: {
      provider: "local",
      options: {
        miniSearch,
        // The name of the button holds all that it shows, the key too.
        translations: { button: { buttonText: "Search", buttonAriaLabel: "Search K" } },
        _render(source, env, md) {
          const html = md.render(source, env);
          if (env.frontmatter?.["search"] === false) return "";
          const words = searchWords[env.relativePath];
          return words === undefined ? html : html.replace("</h1>", `</h1>\n<p>${words}</p>`);
        },
      },
    },
    outline: [2, 3],
    nav: [
      { text: "Playground", link: "/playground/", target: "_self" },
      { text: "Start", link: "/getting-started" },
      { text: "Concepts", link: "/concepts" },
      { text: "Results", link: "/quickstart-results" },
      { text: "API", link: "/api/" },
    ],
    sidebar: sidebar(),
    socialLinks: [{ icon: "github", link: "https://github.com/laconic-ai/laconic" }],
  },
  async buildEnd({ outDir }) {
    const faults = [...linkFaults(outDir, base), ...(await unansweredQueries(outDir, base, miniSearch, askedQueries))];
    if (faults.length > 0) throw new Error(`the site has ${faults.length} faults:\n${faults.join("\n")}`);
  },
});
