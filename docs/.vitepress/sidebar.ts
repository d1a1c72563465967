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

/** Existing pages. A page with a misspelt link is dropped here, and the check of the built site then reports it. */
function existing(groups: Group[]): Group[] {
  const isThere = (link: string): boolean =>
    [`${link}.md`, `${link}index.md`].some((file) => existsSync(join(docs, file))) || link === "/api/";
  return groups.map(({ text, items }) => ({ text, items: items.filter(({ link }) => isThere(link)) }));
}

/** One page per package, which typedoc writes from doc comments. */
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
  const back = { text: "Guide", items: [{ text: "What is it for", link: "/what-for" }] };
  return {
    "/api/": [back, { text: "API", items: apiPages() }],
    "/": existing(guide()),
  };
}

/** Groups by task. A test checks that the first page of each starts with something to run. */
const tasks: readonly Group[] = [
  {
    text: "Train my team",
    items: [
      { text: "Your own task", link: "/your-own-task" },
      { text: "Your own data", link: "/own-data" },
      { text: "Environments and tools", link: "/environments" },
      { text: "Opponents", link: "/opponents" },
      { text: "Train through the endpoint", link: "/train-through-endpoint" },
    ],
  },
  {
    text: "Add my reward",
    items: [
      { text: "Your own values", link: "/own-values" },
      { text: "How answers are graded", link: "/grading" },
    ],
  },
  {
    text: "Read a run",
    items: [
      { text: "Looking at runs", link: "/view" },
      { text: "Metrics", link: "/metrics" },
      { text: "Sinks: TensorBoard, W&B", link: "/sinks" },
      { text: "Verifying a run", link: "/verify" },
    ],
  },
  {
    text: "Reproduce a paper",
    items: [
      { text: "The papers' tables", link: "/reproduce" },
      { text: "Agent-GSPO", link: "/reproduce/agent-gspo" },
      { text: "AgentPO", link: "/reproduce/agentpo" },
      { text: "MAGRPO", link: "/reproduce/magrpo" },
      { text: "Equations and defaults", link: "/papers" },
      { text: "Benchmark data", link: "/data" },
      { text: "How methods are played", link: "/protocols" },
      { text: "Claims without a table", link: "/reproduce/figures" },
    ],
  },
  {
    text: "Use one package",
    items: [
      { text: "One package, units", link: "/one-package" },
      { text: "API", link: "/api/" },
    ],
  },
  {
    text: "Scale out",
    items: [
      { text: "Past one machine", link: "/scale/" },
      { text: "Sampling on servers", link: "/samplers" },
      { text: "Starting SkyRL", link: "/scale/skyrl" },
      { text: "Long runs", link: "/scale/long-runs" },
      { text: "Which systems, CUDA", link: "/systems" },
      { text: "Simulation and load", link: "/simulation" },
    ],
  },
];

function guide(): Group[] {
  return [
    {
      text: "Start",
      items: [
        { text: "What is it for", link: "/what-for" },
        { text: "Getting started", link: "/getting-started" },
        { text: "The playground", link: "/playground" },
      ],
    },
    ...tasks,
    {
      text: "Understand",
      items: [
        { text: "Concepts", link: "/concepts" },
        { text: "Glossary", link: "/glossary" },
        { text: "Architecture", link: "/architecture" },
        { text: "Decisions", link: "/decisions" },
        { text: "Comparison with other trainers", link: "/comparison" },
        { text: "What is not shown here", link: "/not-shown" },
      ],
    },
    {
      text: "Results",
      items: [
        { text: "Quickstart", link: "/quickstart-results" },
        { text: "AgentPO and MAGRPO: small worlds", link: "/results/small-worlds" },
        { text: "Tellers", link: "/results/tellers" },
        { text: "Story worlds", link: "/results/story-worlds" },
        { text: "A queue of groups, to 10,000 slots", link: "/results/queue" },
        { text: "Benchmarks", link: "/benchmarks/" },
      ],
    },
    {
      text: "Help",
      items: [
        { text: "Questions and troubleshooting", link: "/faq" },
        { text: "Error codes", link: "/errors" },
      ],
    },
  ];
}
