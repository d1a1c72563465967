/** Invalid command line. Each must end with one line that explains the error, without a stack. */
export interface BadInput {
  readonly words: readonly string[];
  readonly says: string;
  /** Exit code: 2 for refused input (default), 1 for a later failure. */
  readonly code?: 1 | 2;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Files in the working folder by name. Names that end in `/` are folders. */
export const badFiles: Readonly<Record<string, string | Buffer>> = {
  "empty/": "",
  "empty.json": "",
  "null.json": "null",
  "list.json": "[1, 2]",
  "deep.json": `{"train":${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
  "prototype.json": '{"__proto__": {"polluted": true}, "train": {}}',
  "unknown.json": '{"trian": {}}',
  "throws.ts": 'throw new Error("a configuration of somebody");\n',
  "syntax.ts": "export default {\n",
  "nothing.ts": "export const other = 1;\n",
  "binary.json": Buffer.from([0, 255, 254, 1, 2, 3]),
  "broken-run/config.json": '{"train":',
  "deep-run/config.json": "[".repeat(50_000) + "]".repeat(50_000),
  "half-run/config.json": "{}",
  "no-checkpoint/config.json": '{"train": {"steps": 1}}',
  "no-checkpoint/environment.json": "{}",
  "damaged/config.json": '{"train": {"steps": 1}}',
  "damaged/checkpoints/step-000001/manifest.json": "{",
  "model/config.json": '{"model_type": "unheard-of"}',
  "model/tokenizer.json": "{",
  "deep-bench/bench.json": "[".repeat(50_000) + "]".repeat(50_000),
  "cases.jsonl": '{"id": "a", "kind": "colour", "gold": 1}\nnot json\n',
  "episodes.jsonl": '{"step": 1, "episode": null}\nnot json\n',
  "cycle.json":
    '{"agents": [{"id": "a"}, {"id": "b"}], "spatial": [{"from": "a", "to": "b"}, {"from": "b", "to": "a"}], "answer": {"agents": ["a"]}}',
  "deep-graph.json": "[".repeat(50_000) + "]".repeat(50_000),
  "raises.py": "raise ValueError('mine')\n",
};

const long = "x".repeat(5000);
const relay = ["train", "preset:relay-quickstart", "--dry-run"] as const;
const bench = ["bench", "--model", "m", "--benchmarks", "gsm8k", "--methods"] as const;

function numbers(words: readonly string[], flag: string, bad: readonly string[]): BadInput[] {
  return [
    ...bad.map((value) => ({ words: [...words, `--${flag}=${value}`], says: `--${flag} is ${value}` })),
    { words: [...words, `--${flag}`], says: `--${flag} needs a value` },
  ];
}

const readers: readonly (readonly [command: string, ...words: string[]])[] = [
  ["eval"],
  ["view", "report"],
  ["train", "--resume", "--run"],
];

export const badInputs: readonly BadInput[] = [
  { words: [], says: "USAGE" },
  { words: ["trian"], says: "trian" },
  { words: [long], says: "Unknown command" },
  { words: ["--nothing"], says: "Unknown flag --nothing" },
  { words: ["--versoin"], says: "did you mean --version?" },
  { words: [...relay, "--sede", "3"], says: "unknown flag --sede; did you mean --seed?" },
  { words: [...relay, "--seed", "train.steps=3"], says: "is a setting" },
  { words: [...relay, "--run"], says: "--run needs a value" },
  { words: [...relay, "--device", long], says: "unknown; use auto" },
  { words: ["view", "report", "a", "b"], says: 'unexpected argument "b"' },

  { words: ["train"], says: "CONFIG: missing" },
  { words: ["train", `${long}.json`], says: "not found" },
  { words: ["train", "empty/"], says: "is a folder" },
  { words: ["train", "preset:__proto__"], says: "preset __proto__ not found" },
  { words: ["train", "empty.json", "--dry-run"], says: "is not JSON" },
  { words: ["train", "binary.json", "--dry-run"], says: "is not JSON" },
  { words: ["train", "null.json", "--dry-run"], says: "is not an object" },
  { words: ["train", "list.json", "--dry-run"], says: "is not an object" },
  { words: ["train", "deep.json", "--dry-run"], says: "levels deep" },
  { words: ["train", "prototype.json", "--dry-run"], says: "__proto__" },
  { words: ["train", "unknown.json", "--dry-run"], says: "did you mean train?" },
  { words: ["train", "throws.ts", "--dry-run"], says: "cannot be read: a configuration of somebody" },
  { words: ["train", "syntax.ts", "--dry-run"], says: "cannot be read" },
  { words: ["train", "nothing.ts", "--dry-run"], says: "unknown setting" },

  { words: [...relay, "train.stepz=3"], says: "did you mean train.steps?" },
  { words: [...relay, "train.steps=-1"], says: "train.steps" },
  { words: [...relay, "train.steps=1e999"], says: "train.steps" },
  { words: [...relay, "=3"], says: "is not key=value" },
  { words: [...relay, "__proto__.x=1"], says: "is not a setting" },
  { words: [...relay, "train.constructor=1"], says: "is not a setting" },
  { words: [...relay, `${long}=1`], says: "unknown setting" },
  { words: [...relay, `train.steps=${"[".repeat(50_000)}${"]".repeat(50_000)}`], says: "levels deep" },
  { words: [...relay, "workers=1000"], says: "workers" },
  { words: [...relay, "model=[]"], says: "model" },
  { words: [...relay, "actor.model=shipped"], says: "actor: has no effect" },
  { words: ["train", "preset:relay-quickstart", "--run", "x", `model=${long}`], says: "model folder not found" },

  ...readers.flatMap((reader): BadInput[] => [
    { words: [...reader, "none"], says: "has no run" },
    { words: [...reader, "cases.jsonl"], says: "has no run" },
    { words: [...reader, long], says: "has no run" },
    { words: [...reader, "broken-run"], says: "is no longer valid JSON" },
    { words: [...reader, "deep-run"], says: "levels deep" },
  ]),
  { words: ["train", "--resume", "empty"], says: "has no run" },
  { words: ["eval", "no-checkpoint"], says: "has no checkpoint yet" },
  { words: ["eval", "damaged"], says: "checkpoint", code: 1 },
  ...numbers(["eval", "none"], "limit", ["many", "0", "-1", "1.5", "1e9", "NaN"]),
  { words: ["view", "report", "half-run"], says: "no runs or benches" },
  { words: ["view", "report", "no-checkpoint", "--out", "none/page.html"], says: "cannot be written" },
  { words: ["view", "report", "deep-bench"], says: "levels deep" },
  { words: ["analyze", "rescore", "episodes.jsonl"], says: "episodes.jsonl:1: not a recorded episode" },

  { words: ["plan", "preset:relay-quickstart", "--memory", "-1GiB"], says: "--memory is -1GiB" },
  ...numbers(["plan", "preset:relay-quickstart"], "tflops", ["0", "fast"]),
  ...numbers(["sweep", "preset:relay-quickstart", "train.steps=1,2"], "seeds", ["1,1", "many"]),
  { words: ["sweep", "preset:relay-quickstart", "train.stepz=1,2"], says: "train.stepz" },
  { words: ["sweep", "ablate", "preset:relay-quickstart", "--variants", "none"], says: "variant none not found" },

  { words: ["view", "none"], says: "none: folder not found" },
  ...numbers(["view", "empty"], "port", ["-1", "65536", "http", "1.5"]),
  { words: ["serve", "empty"], says: "tokenizer.json not found" },
  { words: ["serve", "model"], says: "tokenizer.json is not JSON", code: 1 },
  { words: ["serve", "shipped", "--host", "0.0.0.0"], says: "other machines can reach 0.0.0.0" },
  { words: ["serve", "shipped", "--api-key-env", "NO_SUCH_KEY"], says: "NO_SUCH_KEY, which is not set" },
  ...numbers(["serve", "shipped"], "max-body", ["0"]),

  { words: ["data", "get", "gsm9k", "--offline"], says: "gsm9k" },
  { words: ["data", "get", "gsm8k", "--offline", "--folder", "cases.jsonl"], says: "GSM8K" },
  { words: ["data", "get", "gsm8k", "--offline", "--folder", long], says: "GSM8K" },
  {
    words: ["data", "get", "gsm8k", "--offline"],
    says: "GSM8K",
    environment: { LACONIC_DATA: "", XDG_CACHE_HOME: "cache" },
  },
  { words: ["bench"], says: "--model: missing" },
  { words: [...bench, "cot,cot"], says: "two methods" },
  { words: [...bench, "cot", "--price", "free"], says: "--price is free" },
  { words: [...bench, "cot", "--max-usd", "-1"], says: "--max-usd is -1" },
  { words: ["bench", "--resume", "--run", "none"], says: "has no bench" },
  { words: ["bench", "--resume", "--run", "deep-bench"], says: "levels deep" },

  { words: ["grade", long], says: "cannot be read" },
  { words: ["grade", "cases.jsonl"], says: "2 could not be read", code: 1 },
  { words: ["topology", "show", "__proto__"], says: "GRAPH: unknown topology __proto__" },
  { words: ["topology", "show", "deep-graph.json"], says: "levels deep" },
  { words: ["topology", "show", "cycle.json"], says: "cycle", code: 1 },
  ...numbers(["topology", "show", "star"], "agents", ["1", "65", "some"]),
  { words: ["exec", "empty"], says: "cannot be read" },
  ...numbers(["exec", "raises.py"], "timeout", ["0", "-1", "long", "Infinity"]),
];
