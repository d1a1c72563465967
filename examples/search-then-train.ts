/**
 * Topology search, then training: AgentPrune learns the edges on ten training questions, and the remaining team learns
 * with GSPO. The first command writes the graph, the second reads it. Without `SEARCH` the full graph is trained.
 *
 *     npm run -s laconic -- bench --benchmarks aqua --methods agentprune-c --model NAME --limit 1 --run runs/search
 *     SEARCH=runs/search npm run -s laconic -- train examples/search-then-train.ts --run runs/search-then-train
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { baselineNamed, type BaselineOptions } from "@laconic/baselines";
import { agentGspo } from "@laconic/tasks/presets";
import type { TextTeamMaker } from "@laconic/tasks/text";
import { defineRun, type RunDefinition } from "@laconic/cli";

const method = baselineNamed("agentprune-c");
const folder = process.env["SEARCH"];
const records: readonly { readonly method: string; readonly learned: unknown }[] | undefined =
  folder === undefined ? undefined : JSON.parse(readFileSync(join(folder, "calibration.json"), "utf8"));

/** AgentPrune's team, prompts and decision with the kept edges. All agents read the full question and learn. */
export const agentPrune: TextTeamMaker = ({ read, same = (a, b) => a === b, answerForm, replyTokens, family }) => {
  const reading = { reader: { read, same }, answerForm, maxTokens: replyTokens };
  const options: BaselineOptions = { ...reading, ...(family && { family }) };
  const learned = records?.find((each) => each.method === method.name)?.learned;
  return (learned === undefined ? null : method.restore?.(options, learned)) ?? method.create(options);
};

const run: RunDefinition = defineRun({
  ...agentGspo,
  task: { name: "benchmark", benchmark: "aqua", team: agentPrune, replyTokens: 256 },
  train: { ...agentGspo.train, budget: { ...agentGspo.train.budget, targetTokens: 1200 } },
});
export default run;
