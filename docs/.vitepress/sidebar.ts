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
  const back = { text: "Guide", items: [{ text: "Start", link: "/start" }] };
  return {
    "/api/": [back, { text: "API", items: apiPages() }],
    "/": [...beforeRecipes, { text: "Recipes", items: [...recipes] }, ...afterRecipes],
  };
}

/** Each page starts with a command to run; `test/links.test.ts` checks this. */
export const recipes: readonly Item[] = [
  { text: "Train a hub model on one GPU", link: "/devices" },
  { text: "Your own task", link: "/your-own-task" },
  { text: "Your own data", link: "/own-data" },
  { text: "Price a debate, several policies", link: "/policies" },
  { text: "Add a tool", link: "/environments" },
  { text: "Add a reward or a critic", link: "/own-values" },
  { text: "Serve a team", link: "/endpoint" },
  { text: "Evaluate baselines", link: "/bench" },
  { text: "Read a run", link: "/view" },
  { text: "Verify a run", link: "/verify" },
  { text: "Sample on servers", link: "/samplers" },
  { text: "Scale out", link: "/scale/" },
  { text: "Start SkyRL", link: "/scale/skyrl" },
];

const beforeRecipes: readonly Group[] = [
  {
    text: "Start",
    items: [
      { text: "Your own team in ten minutes", link: "/start" },
      { text: "The playground", link: "/playground" },
      { text: "Questions", link: "/faq" },
    ],
  },
  {
    text: "Concepts",
    items: [
      { text: "Concepts and units", link: "/concepts" },
      { text: "From TRL or verl", link: "/from-trl" },
    ],
  },
];

const afterRecipes: readonly Group[] = [
  {
    text: "Packages",
    items: [
      { text: "Packages", link: "/packages" },
      { text: "API", link: "/api/" },
    ],
  },
  {
    text: "Reference",
    items: [
      { text: "Metrics", link: "/metrics" },
      { text: "Error codes", link: "/errors" },
      { text: "Grading", link: "/grading" },
      { text: "Benchmark data", link: "/data" },
      { text: "Papers: equations, defaults, reproduction", link: "/papers" },
      { text: "Presets and released scripts", link: "/released" },
    ],
  },
  {
    text: "Results",
    items: [
      { text: "Shown, failed, not shown", link: "/results/" },
      { text: "Quickstart", link: "/results/quickstart" },
      { text: "Small worlds", link: "/results/small-worlds" },
      { text: "Tellers", link: "/results/tellers" },
      { text: "Word problems", link: "/results/steps" },
      { text: "Claims without a table", link: "/results/claims" },
      { text: "Benchmarks", link: "/benchmarks/" },
    ],
  },
  {
    text: "Design",
    items: [
      { text: "Architecture", link: "/architecture" },
      { text: "Decisions", link: "/decisions" },
    ],
  },
];
