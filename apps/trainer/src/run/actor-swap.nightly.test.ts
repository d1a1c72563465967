import { spentIn } from "@laconic/runtime/spending";
import { join } from "node:path";
import type { SampleRecord } from "@laconic/evaluation";
import { expect, test } from "vitest";
import { recordingServer, type ServedRequest } from "../../test/recording-server.ts";
import { writeSums } from "../../test/sums.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { expectRefused, laconic, outputOf, rowsIn } from "../../test/laconic.ts";

async function trainedOnSums(folder: string, run: string, team = "hint") {
  const written = await writeSums(folder, { team, train: { problemsPerStep: 1 } });
  const directory = join(folder, run);
  await outputOf("train", written.config, "--run", directory);
  return { ...written, run: directory };
}

test("measures a trained hint with actors of a server, a folder and another run", async () => {
  const folder = await temporaryFolder();
  const { model, file, run } = await trainedOnSums(folder, "hint");
  const sumOf = ({ messages }: ServedRequest): number =>
    2 * Number(/What is (\d+)/u.exec(messages.at(-1)?.content ?? "")?.[1]);
  const { url, served } = await recordingServer((request) => `#### ${sumOf(request)}`);

  // A run's own actor has random weights; the server's knows its sums.
  const api = `api:oracle@${url}`;
  const own = JSON.parse((await laconic("eval", run, "--json")).out) as { accuracy: number };
  const swapped = await laconic("eval", run, "--actor", api, "--json");
  expect([own.accuracy, JSON.parse(swapped.out)]).toEqual([
    0,
    expect.objectContaining({ accuracy: 1, problems: 2, actor: api }),
  ]);
  expect(served.map(({ model: name, temperature }) => [name, temperature])).toEqual([
    ["oracle", 0],
    ["oracle", 0],
  ]);
  expect((await laconic("eval", run, "--actor", model)).out).toContain(`, actor ${model}`);

  const { run: solo } = await trainedOnSums(folder, "solo", "solo");
  expect((await laconic("eval", run, "--actor", solo)).out).toContain(`, actor ${solo}, step 1`);
  await expectRefused(["eval", solo, "--actor", api], "every agent of this task learns");

  // In a bench: no published figure, and the actor's requests are those of the untrained method, word for word.
  served.length = 0;
  const bench = join(folder, "bench");
  const given = ["--data", file, "--grading", "numeric", "--model", "oracle", "--base-url", url, "--offline"];
  const words = ["bench", ...given, "--methods", `hint,agentpo=${run}`, "--actor", api, "--run", bench];
  const { code, out } = await laconic(...words, "--price", "1,2");
  expect(code).toBe(0);
  const records = await rowsIn<SampleRecord>(bench, "samples.jsonl");
  const trained = records.filter(({ method }) => method === "agentpo");
  expect(trained.map(({ published, correct }) => [published, correct])).toEqual(trained.map(() => [null, true]));
  // Nobody knows what the server's actor costs, and the collaborator's words were not the server's.
  expect(trained.every(({ usd, byModel }) => usd === null && byModel.length === 2)).toBe(true);
  expect(out).toContain(`agentpo is the team of ${run}, with the run's models and the actor ${api}`);
  const withoutHint = (request: ServedRequest): string =>
    JSON.stringify(request.messages).replace(/\[Hint: [\s\S]*\]/u, "[Hint: ]");
  const actors = served.filter(({ system }) => system.startsWith("Reason step by step."));
  const asked = new Set(actors.map(withoutHint).filter((text) => text.includes("[Hint: ]")));
  expect([actors.length, asked.size]).toEqual([16, 8]);

  // A cap holds for a trained team's actor too: a reply may be 8 tokens, at a dollar each.
  const capped = ["bench", ...given, "--methods", `agentpo=${run}`, "--actor", api, "--price", "0,0"];
  await expectRefused(
    [...capped, "--max-usd", "30", "--run", join(folder, "unpriced")],
    "the price of oracle is unknown; give --actor-price",
  );
  served.length = 0;
  const dear = [...capped, "--max-usd", "12", "--actor-price", "0,1000000", "--concurrency", "1", "--json"];
  const stopped = await laconic(...dear, "--run", join(folder, "capped"));
  expect([stopped.code, stopped.err]).toEqual([1, expect.stringContaining("stopped: the next call may cost $8.0000")]);
  const spent = served.reduce((sum, { completionTokens }) => sum + completionTokens, 0);
  expect(spent).toBeGreaterThan(12 - 8);
  expect(spent).toBeLessThanOrEqual(12);
  const { summaries } = JSON.parse(stopped.out) as { summaries: { samples: number; usd: number }[] };
  expect(summaries.map(({ samples, usd }) => [samples, usd])).toEqual([[served.length, spent]]);
});

test("caps the cost of an API actor in evaluations and over a whole resumed training", async () => {
  const folder = await temporaryFolder();
  const { url, served } = await recordingServer(() => "#### 4");
  const { run } = await trainedOnSums(folder, "plain");
  const api = ["--actor", `api:oracle@${url}`, "--actor-price", "1000,2000", "--max-usd"];
  await expectRefused(["eval", run, "--max-usd", "1"], "--max-usd has no effect: no agent uses a server's API");
  await expectRefused(["eval", run, "--actor", `api:oracle@${url}`, "--max-usd", "1"], "give --actor-price");
  expect(served).toEqual([]);
  const stopped = await laconic("eval", run, ...api, "0.000001", "--json");
  expect([stopped.code, JSON.parse(stopped.out), served.length]).toMatchObject([
    1,
    { error: { code: "budget_refused" } },
    0,
  ]);
  const paid = await laconic("eval", run, ...api, "100", "--json");
  const spent = served.reduce((sum, each) => sum + (1000 * each.promptTokens + 2000 * each.completionTokens) / 1e6, 0);
  expect((JSON.parse(paid.out) as { spentUsd: number }).spentUsd).toBeCloseTo(spent, 9);

  const { config } = await writeSums(folder, { actorUrl: url, train: { problemsPerStep: 1, steps: 10 } });
  served.length = 0;
  const directory = join(folder, "paid");
  const cap = ["--actor-price", "1000,2000", "--max-usd"];
  const spentHere = (): Promise<number> => spentIn(directory);
  const first = await laconic("train", config, "--run", directory, ...cap, "0.6");
  expect(first.err).toMatch(/laconic: .*the next call may cost \$[\d.]+; .* of \$0\.6$/m);
  expect(first.err).toContain(
    `continue from the last checkpoint: laconic train --resume --run ${directory} --max-usd MORE`,
  );
  expect(first.code).toBe(1);
  const half = await spentHere();
  expect(half).toBeLessThanOrEqual(0.6);
  // The steps that were paid for are kept, though no checkpoint was due.
  const [{ step } = { step: 0 }] = (
    JSON.parse((await laconic("view", "ls", directory, "--json")).out) as { runs: { step: number }[] }
  ).runs;
  expect(step).toBeGreaterThan(0);
  const ofRun = served.length;
  expect(JSON.parse((await laconic("eval", directory, "--json", ...cap, "9")).out)).toMatchObject({ step });
  served.splice(ofRun);
  // The same cap again leaves nothing; a higher one pays for the rest.
  const again = await laconic("train", "--resume", directory, ...cap, "0.6");
  expect(again.code).toBe(1);
  expect(await spentHere()).toBeLessThanOrEqual(0.6);
  await outputOf("train", "--resume", directory, ...cap, "100");
  const whole = served
    .filter(({ model: name }) => name === "oracle")
    .reduce((sum, each) => sum + (1000 * each.promptTokens + 2000 * each.completionTokens) / 1e6, 0);
  expect(await spentHere()).toBeCloseTo(whole, 9);
});
