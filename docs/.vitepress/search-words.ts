import type { Asked } from "./check/search.ts";

/** Words that people ask for and a page does not use, by page. They are in the search index and nowhere else. */
export const searchWords: Readonly<Record<string, string>> = {
  "getting-started.md":
    "install installation setup tutorial quick start hello world npm npx first run resume continue interrupted command line cli yaml config file",
  "what-for.md": "use case how do I why custom own example overview index map",
  "your-own-task.md":
    "custom task custom reward custom environment custom topology custom agents custom team own problem own dataset define task reward function example walkthrough tutorial",
  "own-values.md":
    "custom reward function custom estimator custom advantage custom objective custom loss custom cost custom topology custom agent plugin extend callback",
  "own-data.md":
    "warm start supervised warm-up SFT custom data custom dataset jsonl csv parquet hugging face datasets load my own questions benchmark files",
  "train-through-endpoint.md":
    "langchain ai sdk openai client external agent framework custom agent online training rest api webhook",
  "concepts.md":
    "overview architecture design how it works price lambda token cost silence strategic silence empty message budget rollout rollouts trajectory group size advantage advantages KL divergence reference policy",
  "playground.md": "try it browser tab demo live wasm webgpu phone export zip",
  "sinks.md": "W&B wandb weights and biases tensorboard logger logging experiment tracking custom sink",
  "one-package.md":
    "shape axes tokens units sign convention invariants npm install single package library function advantage loss gradient without framework integrate my own trainer",
  "view.md":
    "notebook jupyter deno display share export dashboard live view compare runs curves episodes conversation transcript viewer watch browser UI",
  "metrics.md":
    "W&B wandb weights and biases tensorboard logger logging log sink curves monitoring custom metrics experiment tracking",
  "faq.md":
    "troubleshooting problem error crash killed kill interrupted resume GPU cuda device out of memory OOM LoRA adapter PEFT slow silent team collapse help",
  "samplers.md":
    "vLLM SGLang sampling server rollout server fleet inference server GPU cluster multiple machines remote",
  "scale/index.md": "tinker multi node cluster distributed GPU large model 7B 70B remote training server",
  "scale/long-runs.md":
    "million steps disk full log rotation retention storage size large run memory compress segments",
  "papers.md": "equation default hyperparameter GSPO GRPO arXiv citation algorithm formula reference",
  "glossary.md": "definition term meaning words",
  "comparison.md":
    "alternative versus vs TRL verl CoMLRL MARTI Tinker OpenPipe ART verifiers prime-rl OpenRLHF difference which one should I use",
  "systems.md":
    "GPU cuda nvidia test without GPU fake tensors Windows macOS Mac Apple silicon Metal M1 M4 Linux operating system platform laptop supported not yet run",
  "not-shown.md": "limits limitations larger models GPU cost plan hours memory not reproduced",
  "quickstart-results.md":
    "pareto sweep trade-off pictures charts plots ablation seeds reproducibility result price token budget accuracy",
  "verify.md": "audit check reproduce independent recompute trust forgery",
  "errors.md":
    "error code exception LaconicError crash message troubleshooting out of memory OOM CUDA out of memory heap LOCK file killed Ctrl-C interrupted spend cap",
  "decisions.md": "asynchronous stale off-policy why design rationale",
  "benchmarks/index.md": "speed performance throughput tokens per second TRL GPU H100 memory wasm",
  "grading.md": "grader judge exact match math verify answer extraction",
  "reproduce.md": "tables reproduce paper baselines methods",
  "reproduce/figures.md":
    "claims sample efficiency overfitting inference cost speedup cooperation schemes topology search agentprune evoagent",
};

/** The field's words, and the page that is the first result of each. */
const fieldWords: readonly (readonly [query: string, page: string])[] = [
  ["GRPO", "/papers"],
  ["advantage", "/concepts"],
  ["rollout", "/glossary"],
  ["LoRA", "/faq"],
  ["KL", "/papers"],
  ["vLLM", "/samplers"],
  ["checkpoint", "/faq"],
  ["resume", "/faq"],
  ["sweep", "/your-own-task"],
  ["reward function", "/own-values"],
  ["judge", "/own-data"],
  ["tool calling", "/environments"],
  ["dataset", "/own-data"],
  ["W&B", "/sinks"],
  ["CUDA", "/faq"],
  ["Mac", "/systems"],
  ["Windows", "/systems"],
  ["cost", "/concepts"],
  ["token budget", "/concepts"],
];

/** Held by `npm run docs`: the page is among the first results of the query. */
export const askedQueries: readonly Asked[] = [
  ...fieldWords.map(([query, page]) => [query, page, 1] as const),
  ["custom", "/your-own-task"],
  ["custom reward", "/your-own-task"],
  ["custom task", "/your-own-task"],
  ["custom loss", "/own-values"],
  ["environment", "/environments"],
  ["tool calls", "/environments"],
  ["own data", "/own-data"],
  ["kill", "/faq"],
  ["out of memory", "/errors"],
  ["price", "/concepts"],
  ["silence", "/concepts"],
  ["budget", "/concepts"],
  ["GPU", "/systems"],
  ["wandb", "/sinks"],
  ["tensorboard", "/sinks"],
  ["config_invalid", "/errors"],
  ["TRL", "/comparison"],
  ["langchain", "/train-through-endpoint"],
  ["tinker", "/scale/"],
  ["dashboard", "/view"],
  ["playground", "/playground"],
  ["group size", "/concepts"],
  ["warm start", "/getting-started"],
  ["notebook", "/view"],
  ["one package", "/one-package"],
  ["grader", "/grading"],
];
