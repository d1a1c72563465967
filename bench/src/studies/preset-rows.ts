// What real steps of every preset and team pass, by their metrics, and what there is to pass: tokens of their recorded sequences, and nodes
// of the tries of each optimiser step, counted with one map a node. Beside it how much of an agent's turn its next prompt begins with. Presets for
// small models run as they are; those for large ones with a random model of one layer, whose tokenizer learned the benchmarks' texts, and short replies.
//
// npx tsx bench/src/studies/preset-rows.ts [--only NAME,NAME] [--steps 2] [--workers 1] > FILE.jsonl; needs LACONIC_DATA, and LACONIC_PYTHON with tokenizers.
// npx tsx bench/src/studies/preset-rows.ts --table FILE.jsonl prints a table of it.
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { teamNames } from "@laconic/worlds/text";
import { machine, print } from "../measure.ts";
import { goneOn, passedSteps, stepsOf } from "../prefix-tree/recorded-step.ts";
import { benchmarkModel, laconicTrain } from "../prefix-tree/train-here.ts";
import { readOptions } from "../options.ts";

/** Presets that train a small model here. */
const small = [
  "relay-quickstart",
  "relay-hint",
  "relay-critic",
  "relay-actor",
  "relay-writers",
  "relay-feedback",
  "story-tellers",
  "story-relay",
  "story-hint",
  "story-actor",
  "story-writers",
  "story-budget",
];
/** The others, of benchmarks, and which agents of them do not learn. */
const large = {
  "agent-gspo": false,
  "agentpo-hint": true,
  "agentpo-hint-printed": true,
  "agentpo-critic": true,
  "agentpo-debate": true,
  "agentpo-roles": true,
  "actor-finetune": false,
  magrpo: false,
  "magrpo-multiturn": false,
};
/** Teams in which all learn, as a run of agent-gspo would have them. */
const teams = teamNames.filter((name) => !["hint", "critic", "debate", "roles", "star"].includes(name));

const { values: given } = readOptions({
  options: {
    only: { type: "string" },
    steps: { type: "string", default: "2" },
    workers: { type: "string", default: "1" },
    table: { type: "string" },
  },
});
if (given.table === undefined) await measure();
else process.stdout.write(tableOf(given.table));

async function measure(): Promise<void> {
  const chosen = given.only?.split(",");
  const folder = await mkdtemp(join(tmpdir(), "laconic-bench-"));
  print("machine", machine());
  try {
    const model = await benchmarkModel(folder);
    const short = [`model=${model}`, "train.problemsPerStep=4", "task.replyTokens=24"];
    const works: readonly (readonly [name: string, preset: string, changes: readonly string[]])[] = [
      ...small.map((name) => [name, name, []] as const),
      ...Object.entries(large).map(
        ([name, isFrozen]) =>
          [name, name, [...short, ...(isFrozen ? [`actor.model=${model}`] : []), ...actorOf(name)]] as const,
      ),
      ...teams.map(
        (team) => [`team ${team}`, "agent-gspo", [...short, ...actorOf("agent-gspo"), `task.team=${team}`]] as const,
      ),
    ];
    for (const [name, preset, changes] of works)
      if (!chosen || chosen.includes(name)) train(name, preset, changes, join(folder, name.replaceAll(" ", "-")));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Only teams of benchmarks have an actor. */
function actorOf(preset: string): string[] {
  return preset.startsWith("magrpo") || preset === "actor-finetune" ? [] : ["task.actorTokens=24"];
}

function train(name: string, preset: string, changes: readonly string[], run: string): void {
  const sizes = [`workers=${given.workers}`, `train.steps=${given.steps}`, "train.evaluation.problems=4"];
  const failed = laconicTrain(preset, run, [...sizes, ...changes]);
  if (failed !== null) return print("skipped", { name, why: failed });
  for (const passed of passedSteps(run))
    print("preset-rows", { name, changes: changes.filter((each) => !each.includes("model=")), ...passed });
  const turns = stepsOf(run).flatMap(goneOn);
  for (const agent of new Set(turns.map((each) => each.agent))) {
    const own = turns.filter((each) => each.agent === agent);
    const sum = (of: (each: (typeof own)[number]) => number): number => own.reduce((all, each) => all + of(each), 0);
    print("gone-on", {
      name,
      agent,
      turns: own.length,
      whole: own.filter(({ before, kept }) => kept === before).length,
      tokens: sum(({ before }) => before),
      kept: sum(({ kept }) => kept),
    });
  }
}

function tableOf(file: string): string {
  const lines = readFileSync(file, "utf8").trim().split("\n");
  const rows = lines.map((line) => JSON.parse(line) as Record<string, number | string>);
  const of = (bench: string, name: unknown): Record<string, number>[] =>
    rows.filter((row) => row["bench"] === bench && row["name"] === name) as Record<string, number>[];
  const total = (own: readonly Record<string, number>[], key: string): number =>
    own.reduce((sum, row) => sum + (row[key] ?? 0), 0);
  const names = [...new Set(rows.filter(({ bench }) => bench === "preset-rows").map(({ name }) => name))];
  const cells = names.map((name) => {
    const [passed, turns] = [of("preset-rows", name), of("gone-on", name)];
    const [tokens, nodes, passedRows] = ["tokens", "nodes", "rows"].map((key) => total(passed, key)) as [
      number,
      number,
      number,
    ];
    const count = (value: number): string => value.toLocaleString("en");
    const kept = turns.length === 0 ? "" : `${((100 * total(turns, "kept")) / total(turns, "tokens")).toFixed(0)} %`;
    return [
      name,
      count(tokens),
      count(nodes),
      count(passedRows),
      (passedRows / nodes).toFixed(3),
      `${(100 * (1 - passedRows / tokens)).toFixed(0)} %`,
      kept,
    ];
  });
  const head = ["preset", "tokens", "nodes", "rows", "rows to nodes", "shared", "of a turn in the next prompt"];
  return [head, head.map(() => "---"), ...cells].map((row) => `| ${row.join(" | ")} |\n`).join("");
}
