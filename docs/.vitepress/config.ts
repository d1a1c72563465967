import { join } from "node:path";
import { defineConfig } from "vitepress";
import { designStyle } from "../../packages/core/src/design/tokens.ts";
import { mendApiAnchors } from "./api-anchors.ts";
import { sidebar } from "./sidebar.ts";

const base = process.env["LACONIC_DOCS_BASE"] ?? "/";
mendApiAnchors(join(import.meta.dirname, "../api"));

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
        // The accessible name must include all visible text, also the key.
        translations: { button: { buttonText: "Search", buttonAriaLabel: "Search K" } },
      },
    },
    outline: [2, 3],
    nav: [
      { text: "Playground", link: "/playground/", target: "_self" },
      { text: "Start", link: "/start" },
      { text: "Concepts", link: "/concepts" },
      { text: "Results", link: "/results/" },
      { text: "API", link: "/api/" },
    ],
    sidebar: sidebar(),
  },
  buildEnd({ outDir }) {
    console.log(`The site is in ${outDir}. Open it: pnpm --dir docs exec vitepress preview`);
  },
});
