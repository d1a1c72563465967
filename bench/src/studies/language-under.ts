// How the words of a team look to the model that it began as: perplexity of what the fetched, the taught and the trained model say on the
// run's test problems, each under the fetched and under the taught model, given what the speaker read, with and without the token that
// ends a text. Plain perplexities, at temperature 1; agents that answer are left out, and so is silence.
//   npx tsx bench/src/studies/language-under.ts --run RUN [--problems 200] [--out FILE]
import { basename } from "node:path";
import { randomFromSeed, type Episode, type TrainableModel } from "@laconic/core";
import { findRun, openFoundRun, openParts, runResources, type AppConfig, type OpenedParts } from "@laconic/runtime";
import { chooseDevice } from "@laconic/runtime/devices";
import { onlyPolicy, type TrainedPolicy } from "@laconic/trainer";
import { readOptions } from "../options.ts";
import { printRow } from "../rows.ts";

const { values: flags } = readOptions({
  options: {
    run: { type: "string" },
    problems: { type: "string", default: "200" },
    seed: { type: "string", default: "language" },
    out: { type: "string" },
  },
});
if (flags.run === undefined) throw new Error("name a run with a warm start: --run RUN");
const quiet = { note: () => undefined, warn: (message: string) => console.error(message) } as never;
const found = await findRun(flags.run);
const { config } = found;
const { sampling, objective } = config.train;
if (config.warmStart?.model === undefined) throw new Error(`${flags.run} had no warm start`);
const place = await chooseDevice("wasm", config.workers, () => undefined);
const fresh = async (given: AppConfig): Promise<OpenedParts> =>
  openParts(given, place, { ...(await runResources(given.model, quiet)), testProblems: 1000 });

/** A text by the tokens that its speaker read and wrote; `ends` where the last one ended it. */
type Said = Parameters<TrainableModel["forward"]>[0][number] & { readonly ends: boolean };

const policyOf = ({ parts }: OpenedParts): TrainedPolicy => parts.policies[onlyPolicy] as TrainedPolicy;

async function texts(opened: OpenedParts): Promise<Said[]> {
  const policy = policyOf(opened);
  const model = policy.speak(policy.model);
  const random = randomFromSeed(flags.seed);
  const played: Episode[] = await Promise.all(
    opened.task.testProblems.slice(0, Number(flags.problems)).map((problem, i) => {
      const agents = [...Object.keys(problem.views ?? {}), "solver"];
      const models = Object.fromEntries(agents.map((agent) => [agent, model]));
      return opened.task.topology.run(problem, { models, sampling, random: random.split(i) });
    }),
  );
  return played.flatMap(({ utterances }) =>
    utterances.flatMap(({ agent, silent, trace, finishReason }) =>
      agent === "solver" || silent || trace === undefined
        ? []
        : [{ promptTokens: trace.promptTokens, completionTokens: trace.tokens, ends: finishReason === "stop" }],
    ),
  );
}

/** exp of the mean -log π per token. */
async function perplexities(model: Pick<TrainableModel, "forward">, said: readonly Said[]): Promise<object> {
  const { logProbs } = await model.forward(said);
  let [all, words, tokens, wordTokens] = [0, 0, 0, 0];
  said.forEach(({ ends }, i) => {
    const own = Array.from(logProbs.values.subarray(logProbs.offsets[i], logProbs.offsets[i + 1]));
    const inText = ends ? own.slice(0, -1) : own;
    all += own.reduce((sum, each) => sum + each, 0);
    words += inText.reduce((sum, each) => sum + each, 0);
    tokens += own.length;
    wordTokens += inText.length;
  });
  return { withEnd: rounded(Math.exp(-all / tokens)), words: rounded(Math.exp(-words / wordTokens)) };
}

const rounded = (value: number): number => Number(value.toPrecision(4));

const trained = await openFoundRun(found, quiet);
const taught = await fresh(config);
const fetched = await fresh({ ...config, model: config.warmStart.model, warmStart: null });
for (const [speaker, opened] of Object.entries({ fetched, taught, trained })) {
  const said = await texts(opened);
  const line = {
    run: basename(flags.run),
    seed: config.train.seed,
    kl: "kl" in objective ? (objective.kl?.coefficient ?? 0) : 0,
    speaker,
    texts: said.length,
    tokens: rounded(said.reduce((sum, { completionTokens }) => sum + completionTokens.length, 0) / said.length),
    underFetched: await perplexities(policyOf(fetched).model, said),
    underTaught: await perplexities(policyOf(taught).model, said),
  };
  printRow(flags.out, line);
}
for (const opened of [trained, taught, fetched]) await opened.close();
