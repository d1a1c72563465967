// AgentPO's claim on the story world, three seeds: the actor alone, behind an untrained and behind a trained helper; then the same
// helper with other actors: another temperature, and weights that were trained as the actor. The story model is
// `$LACONIC_DATA/stories260k`. Runs stay in the folder of `--runs`, and what is there is not trained again.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { randomFromSeed, type LanguageModel, type Topology } from "@laconic/core";
import { createLocalEngine, localPolicy } from "@laconic/engine";
import { wilson } from "@laconic/evaluation";
import { wasmKernels } from "@laconic/kernels-wasm";
import { namedTask } from "@laconic/worlds/named";
import { storyHintTask } from "@laconic/worlds/stories";
import { machine, print } from "../src/measure.ts";

const { values } = parseArgs({ options: { runs: { type: "string" }, seeds: { type: "string", default: "0,1,2" } } });
const story = join(process.env["LACONIC_DATA"] ?? "data", "stories260k");
if (!existsSync(story)) throw new Error(`there is no story model in ${story}; set LACONIC_DATA`);
const root = join(import.meta.dirname, "../..");
const runs = values.runs ?? (await mkdtemp(join(tmpdir(), "laconic-stories-")));
print("machine", { ...machine(), runs });

const testProblems = 200;
const settings = { name: "story-hint" } as const;
const { tokenizer } = await namedTask(settings).open(settings, {
  testProblems,
  modelFolder: story,
  templateArguments: {},
  data: { folder: "" },
  note: () => undefined,
});
const task = storyHintTask({ tokenizer, testProblems });
const engine = await createLocalEngine({ device: wasmKernels(), workers: 1 });

/** The last checkpoint of a run, which is trained where it is not there. */
async function trained(learns: "helper" | "actor", seed: string): Promise<string> {
  const run = join(runs, `${learns}-${seed}`);
  if (!existsSync(join(run, "report.html"))) {
    const preset = learns === "helper" ? "preset:story-hint" : "preset:story-actor";
    const words = ["train", preset, `model=${story}`, `train.seed=${seed}`, "--run", run, "--json"];
    const started = performance.now();
    const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts/laconic.mjs"), ...words], {
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(stderr);
    print("trained", { learns, seed, seconds: Math.round((performance.now() - started) / 1000), ...machine() });
  }
  return join(run, "checkpoints", (await readFile(join(run, "checkpoints/LATEST"), "utf8")).trim());
}

async function speaking(path: string, temperature: number): Promise<LanguageModel> {
  const model = localPolicy({ id: path, sampler: await engine.createModel({ kind: "folder", path }), tokenizer });
  const complete: LanguageModel["complete"] = ({ sampling, ...request }) =>
    model.complete({ ...request, sampling: { ...sampling, temperature } });
  return { id: model.id, complete };
}

async function accuracy(topology: Topology, models: Readonly<Record<string, LanguageModel>>, seed: string) {
  const grades = await Promise.all(
    task.testProblems.map(async (problem, i) => {
      const random = randomFromSeed(`story ${seed}`).split(i);
      const { answer } = await topology.run(problem, { models, sampling: { temperature: 1 }, random });
      return { group: problem.group, right: task.grader(answer, problem) };
    }),
  );
  const of = (group: string) => {
    const own = grades.filter((each) => each.group === group);
    return wilson(
      own.reduce((sum, { right }) => sum + right, 0),
      own.length,
    );
  };
  return { known: of("known"), unseen: of("unseen") };
}

for (const seed of values.seeds.split(",")) {
  const [helperRun, actorRun] = [await trained("helper", seed), await trained("actor", seed)];
  const helpers = { untrained: await speaking(story, 1), trained: await speaking(helperRun, 1) };
  const actors = {
    "as in training, temperature 0": await speaking(story, 0),
    "the same weights, temperature 0.7": await speaking(story, 0.7),
    "weights trained as the actor, temperature 0": await speaking(actorRun, 0),
  };
  for (const [name, actor] of Object.entries(actors)) {
    print("actor alone", { actor: name, seed, ...(await accuracy(task.actorAlone, { actor }, seed)) });
    for (const [state, helper] of Object.entries(helpers))
      print(`${state} hint`, { actor: name, seed, ...(await accuracy(task.topology, { helper, actor }, seed)) });
  }
}
await engine.close();
