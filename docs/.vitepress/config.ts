import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { defineConfig } from "vitepress";

const docs = join(import.meta.dirname, "..");

/** Pages that exist: measured results are added when they are measured. */
function pages(...items: readonly { text: string; link: string }[]): { text: string; link: string }[] {
  return items.filter(({ link }) => existsSync(join(docs, `${link}.md`)) || existsSync(join(docs, link, "index.md")));
}

/** Why things are as they are, in the order of the index. */
function decisionPages(): { text: string; link: string }[] {
  const index = readFileSync(join(docs, "decisions", "index.md"), "utf8");
  const rows = index.matchAll(/^\| \[([^\]]+)\]\(\.\/([\w-]+)\.md\)/gmu);
  const listed = [...rows].map(([, text = "", name = ""]) => ({ text, link: `/decisions/${name}` }));
  return [{ text: "All", link: "/decisions/" }, ...listed];
}

/** One page per package, written by typedoc from the doc comments. */
function apiPages(): { text: string; link: string }[] {
  const folder = join(docs, "api", "@laconic");
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .map((path) => path.slice(0, -".md".length).replaceAll("\\", "/"))
    .map((path) => ({
      text: `@laconic/${basename(path) === "index" ? path.slice(0, -"/index".length) : path}`,
      link: `/api/@laconic/${path}`,
    }))
    .toSorted((a, b) => a.text.localeCompare(b.text));
}

export default defineConfig({
  title: "Laconic",
  description: "Train teams of language models to say less and solve more.",
  lang: "en",
  cleanUrls: true,
  lastUpdated: false,
  srcExclude: ["README.md", "data/list.md", "api-reports/**"],
  markdown: { math: false },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Start", link: "/getting-started" },
      { text: "Concepts", link: "/concepts" },
      { text: "Papers", link: "/papers" },
      { text: "API", link: "/api/" },
    ],
    sidebar: [
      {
        text: "Guide",
        items: pages(
          { text: "Getting started", link: "/getting-started" },
          { text: "Your own task", link: "/your-own-task" },
          { text: "Your own data", link: "/own-data" },
          { text: "Your own values", link: "/own-values" },
          { text: "Sinks: TensorBoard, W&B, trackio, MLflow", link: "/sinks" },
          { text: "Train through the endpoint", link: "/train-through-endpoint" },
          { text: "Concepts", link: "/concepts" },
          { text: "Units and invariants", link: "/units" },
          { text: "Metrics", link: "/metrics" },
          { text: "Benchmark data", link: "/data" },
          { text: "How methods are played", link: "/protocols" },
          { text: "How answers are graded", link: "/grading" },
          { text: "Reproduce the papers' tables", link: "/reproduce" },
          { text: "Reproduce Agent-GSPO", link: "/reproduce/agent-gspo" },
          { text: "Reproduce AgentPO", link: "/reproduce/agentpo" },
          { text: "Reproduce MAGRPO", link: "/reproduce/magrpo" },
          { text: "Past one machine", link: "/scale/" },
          { text: "Starting SkyRL", link: "/scale/skyrl" },
          { text: "Faults of a training server", link: "/scale/faults" },
          { text: "Sampling on servers", link: "/samplers" },
          { text: "CUDA without a GPU", link: "/cuda-without-gpu" },
          { text: "Papers", link: "/papers" },
          { text: "Questions and troubleshooting", link: "/faq" },
          { text: "Glossary", link: "/glossary" },
        ),
      },
      {
        text: "Results",
        items: pages(
          { text: "Quickstart", link: "/quickstart-results" },
          { text: "Auditing a run", link: "/audit" },
          { text: "AgentPO and MAGRPO: small worlds", link: "/results/small-worlds" },
          { text: "Pairs beside MAGRPO's baselines", link: "/results/pairs" },
          { text: "Methods against servers: three counts", link: "/results/servers" },
          { text: "AgentPO: a story model", link: "/results/story-hint" },
          { text: "Story worlds", link: "/results/story-worlds" },
          { text: "Training on SkyRL's server", link: "/results/skyrl" },
          { text: "Accuracy-token frontier", link: "/results/frontier" },
          { text: "A queue of groups, to 10,000 slots", link: "/results/queue" },
          { text: "The grader's board", link: "/grader-board" },
          { text: "Benchmarks", link: "/benchmarks" },
        ),
      },
      { text: "Decisions", items: decisionPages() },
      { text: "API", items: apiPages() },
    ],
  },
});
