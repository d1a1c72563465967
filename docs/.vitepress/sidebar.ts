import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";

const docs = join(import.meta.dirname, "..");

export interface Item {
  text: string;
  link: string;
}

export interface Group {
  text: string;
  items: Item[];
}

/** Items of links by text. */
function itemsOf(links: Readonly<Record<string, string>>): Item[] {
  return Object.entries(links).map(([text, link]) => ({ text, link }));
}

function groupsOf(groups: Readonly<Record<string, Readonly<Record<string, string>>>>): Group[] {
  return Object.entries(groups).map(([text, links]) => ({ text, items: itemsOf(links) }));
}

function apiPages(): Item[] {
  const folder = join(docs, "api", "@laconic");
  const all = [{ text: "All packages", link: "/api/" }];
  if (!existsSync(folder)) return all;
  const packages = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .map((path) => path.slice(0, -".md".length).replaceAll("\\", "/"))
    .map((path) => {
      const isIndex = basename(path) === "index";
      const name = isIndex ? path.slice(0, -"/index".length) : path;
      return { text: `@laconic/${name}`, link: `/api/@laconic/${isIndex ? `${name}/` : name}` };
    })
    .toSorted((a, b) => a.text.localeCompare(b.text));
  return [...all, ...packages];
}

/** Every page needs a place here or in an index listed here; `npm run docs` checks this. */
export function sidebar(): Record<string, Group[]> {
  return {
    "/api/": [...groupsOf({ Guide: { Start: "/start" } }), { text: "API", items: apiPages() }],
    "/": groupsOf(guide),
  };
}

const guide = {
  Start: {
    "Your own team in ten minutes": "/start",
    "The playground": "/playground",
    Questions: "/faq",
  },
  Concepts: {
    "Concepts and units": "/concepts",
    "From TRL or verl": "/from-trl",
  },
  Recipes: {
    "Train a hub model on one GPU": "/devices",
    "Your own task": "/your-own-task",
    "Your own data": "/own-data",
    "Price a debate, several policies": "/policies",
    "Add a tool": "/environments",
    "Add a reward or a critic": "/own-values",
    "Serve a team": "/endpoint",
    "Evaluate baselines": "/bench",
    "What do my agents cost?": "/meter",
    "Read a run": "/view",
    "Verify a run": "/verify",
    "Sample on servers": "/samplers",
    "Scale out": "/scale/",
    "Start SkyRL": "/scale/skyrl",
  },
  Packages: {
    Packages: "/packages",
    API: "/api/",
  },
  Reference: {
    Metrics: "/metrics",
    "Error codes": "/errors",
    Grading: "/grading",
    "Benchmark data": "/data",
    "Papers: equations, defaults, reproduction": "/papers",
    "Presets and released scripts": "/released",
  },
  Results: {
    "Shown, failed, not shown": "/results/",
    Quickstart: "/results/quickstart",
    "Small worlds": "/results/small-worlds",
    Tellers: "/results/tellers",
    "Word problems": "/results/steps",
    "Claims without a table": "/results/claims",
    Benchmarks: "/benchmarks/",
  },
  Design: {
    Architecture: "/architecture",
    Decisions: "/decisions",
  },
};

/** Each page starts with a command to run; `test/links.test.ts` checks this. */
export const recipes: readonly Item[] = itemsOf(guide.Recipes);
