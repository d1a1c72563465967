// What AgentPO's "7.8 % of EvoAgent's cost" owes to the two protocols alone: every method asks its own requests about questions of AgentPO's
// five benchmarks, and a script replies at lengths drawn around a mean, so no model and no training is in it. Tokens are bytes / 4.
// A line of JSON for each seed (which questions, which lengths) and mean length of an answer; tokens are means per question.
//   LACONIC_DATA=FOLDER npx tsx bench/src/studies/evoagent-cost.ts --seeds 0-4 > docs/results/evoagent-cost.jsonl
import { baselineNamed, type BaselineOptions } from "@laconic/baselines";
import { benchmarkNamed, openSplit, seededSubset } from "@laconic/benchmarks";
import { answerForm } from "@laconic/grading";
import { randomFromSeed, sumLedgers, type LanguageModel, type Ledger, type Random } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { readOptions } from "../options.ts";
import { seedsOf } from "../rows.ts";

const { values: flags } = readOptions({
  options: { seeds: { type: "string", default: "0-4" }, limit: { type: "string", default: "10" } },
});
const folder = process.env["LACONIC_DATA"];
if (folder === undefined) throw new Error("LACONIC_DATA is not set: a folder with AgentPO's five benchmarks");
const benchmarks = ["aime24", "math500", "olympiadbench", "minerva", "amc23"];
const sets = await Promise.all(
  benchmarks.map(async (name) => (await openSplit(benchmarkNamed(name), { folder, offline: true })).problems),
);

/** Tokens of what is asked for in two sentences, such as the description of an expert. */
const description = 50;
const bytesPerToken = 4;
const reply = (tokens: number): string => "so, ".repeat(Math.max(1, Math.round(tokens)));

/** Mean tokens of an answer, and of a hint or criticism; what the checker says. */
interface Lengths {
  readonly answer: number;
  readonly helper: number;
  readonly verdict: string;
}

/** An agent whose texts have about so many tokens; the checker says its verdict on every expert. */
function speaker(agent: string, { answer, helper, verdict }: Lengths, random: Random): LanguageModel {
  const means: Readonly<Record<string, number>> = { inventor: description, collaborator: helper, critic: helper };
  return scriptedModel(({ prompt }) => {
    const asked = prompt.kind === "messages" ? prompt.messages.map(({ content }) => content).join("\n") : "";
    const text = agent === "checker" ? verdict : reply((means[agent] ?? answer) * (0.5 + random.uniform()));
    const [promptTokens = 0, completionTokens = 0] = [asked, text].map((each) =>
      Math.ceil(Buffer.byteLength(each) / bytesPerToken),
    );
    return { text, usage: { promptTokens, completionTokens, counted: "model" } };
  });
}

async function costOf(method: string, seed: number, lengths: Lengths): Promise<number> {
  const ledgers: Ledger[] = [];
  for (const problems of sets)
    for (const problem of seededSubset(problems, { seed }).slice(0, Number(flags.limit))) {
      const options: BaselineOptions = {
        reader: { read: () => null, same: (a, b) => a === b },
        answerForm: answerForm(problem.grading),
        maxTokens: 2048,
        family: "maths",
        exemplars: [],
      };
      const topology = baselineNamed(method).create(options);
      const random = randomFromSeed(`evoagent-cost/${seed}/${problem.id}`);
      const models = Object.fromEntries(topology.agents.map((agent) => [agent, speaker(agent, lengths, random)]));
      ledgers.push((await topology.run(problem, { models, sampling: { temperature: 0 }, random })).ledger);
    }
  const { promptTokens, writtenTokens } = sumLedgers(ledgers);
  return Math.round((promptTokens + writtenTokens) / ledgers.length);
}

for (const seed of seedsOf(flags.seeds))
  for (const answer of [100, 300, 600, 900]) {
    const cost = (method: string, helper = description, verdict = "KEEP"): Promise<number> =>
      costOf(method, seed, { answer, helper, verdict });
    const row = {
      seed,
      answer,
      evoagent: await cost("evoagent"),
      evoagentDiscarding: await cost("evoagent", description, "DISCARD"),
      hint: await cost("hint"),
      longHint: await cost("hint", answer),
      critic: await cost("critic", answer),
      sc: await cost("sc"),
      debate: await cost("debate"),
      roles: await cost("role-assignment"),
    };
    console.log(JSON.stringify(row));
  }
