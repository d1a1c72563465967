import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SampleRecord } from "@laconic/evaluation";
import { expect, test } from "vitest";
import { recordingServer, type ServedRequest } from "../../test/recording-server.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { cli, laconic, rowsIn } from "../../test/laconic.ts";

/** Three of them state facts that can be dealt, one does not. */
const questions = [
  ...["Ann", "Bob", "Eve"].map((name) => ({
    question: `${name} has 3 red bags of nuts. Each red bag of ${name} holds 4 nuts. ${name} finds 5 more nuts. How many nuts does ${name} have?`,
    gold: "17",
  })),
  { question: "What is 2 + 3?", gold: "5" },
];

async function bench(
  url: string,
  methods: string,
  more: readonly string[] = [],
): Promise<{ run: string; words: string[]; records: () => Promise<SampleRecord[]> }> {
  const folder = await temporaryFolder();
  const file = join(folder, "nuts.jsonl");
  await writeFile(file, questions.map((row) => JSON.stringify(row)).join("\n"));
  const run = join(folder, "bench");
  return {
    run,
    words: cli`bench --data ${file} --grading numeric --methods ${methods} --model fake --base-url ${url} --run ${run}
      --offline --concurrency 1 --max-tokens 64 ${more}`,
    records: () => rowsIn<SampleRecord>(run, "samples.jsonl"),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
const tokensOf = (served: readonly ServedRequest[]): number =>
  sum(served.map(({ promptTokens, completionTokens }) => promptTokens + completionTokens));

test("dealt agents see only their part, with a separate table and the server's token counts", async () => {
  const { url, served } = await recordingServer((_, nth) => `I think so.\n#### ${nth % 3}`);
  const { words, records, run } = await bench(url, "cot,debate,hint,mad,self-refine", ["--distribute"]);
  const { code, out, err } = await laconic(...words);
  expect(code).toBe(0);
  const kept = await records();
  const dealt = kept.filter(({ setting }) => setting === "dealt");
  expect(new Set(dealt.map(({ method }) => method))).toEqual(new Set(["debate", "hint", "mad"]));
  expect(kept.filter(({ setting }) => setting === "whole")).toHaveLength(5 * 4);
  expect(dealt).toHaveLength(3 * 3);
  expect(dealt.find(({ method }) => method === "debate")?.deal).toEqual({
    seed: "laconic",
    holders: ["debater-1", "debater-2", "debater-3"],
  });
  expect(dealt.every(({ published }) => published === null)).toBe(true);
  // What a request shows of a problem that is dealt: what is asked, and one share that nobody else has.
  const first = (request: ServedRequest): string => request.messages[1]?.content ?? "";
  const shares = served.filter((request) => first(request).includes("Only you know:"));
  expect(shares.length).toBeGreaterThanOrEqual(3 * (6 + 1));
  for (const request of shares) {
    const text = first(request);
    const facts = ["has 3 red bags", "holds 4 nuts", "finds 5 more"].filter((fact) => text.includes(fact));
    expect([facts.length < 3, /How many nuts does \w+ have\?/u.test(text)]).toEqual([true, true]);
  }
  expect(sum(kept.map((each) => each.promptTokens + each.completionTokens))).toBe(tokensOf(served));
  expect(sum(kept.map(({ calls }) => calls))).toBe(served.length);
  expect(err).toContain("debate: 1 of 4 questions of nuts");
  expect(err).toContain("Played on whole questions only: cot. A single agent would see one share only.");
  expect(out).toContain("## Accuracy, %; dealt among the agents");
  expect(out).toMatch(/- Dealt: debate, hint, mad\..*have an easier task\./u);
  const [whole = "", apart = ""] = await Promise.all(
    ["accuracy.csv", "accuracy-dealt.csv"].map((name) => readFile(join(run, name), "utf8")),
  );
  expect(whole.split("\n").map((row) => row.split(",")[0])).toContain("Self-Refine");
  expect(
    apart
      .trimEnd()
      .split("\n")
      .map((row) => /^[\w-]+/u.exec(row.replace('"', ""))?.[0]),
  ).toEqual(["method", "LLM-Debate", "Hint-Actor", "MAD"]);
});

test("equal-budget methods use each team's server tokens in both forms, also after an interruption", async () => {
  let down = true;
  const answer = (request: ServedRequest, nth: number): string | null =>
    down && request.messages.some(({ content }) => content.includes("2 + 3")) ? null : `Let me see.\n#### ${nth % 5}`;
  const { url, served } = await recordingServer(answer);
  const { words, records, run } = await bench(url, "vanilla,debate,hint,equal-budget", ["--distribute"]);
  const plan = await laconic(...words, "--dry-run", "--json");
  const bound = JSON.parse(plan.out) as { calls: number; promptTokens: number; completionTokens: number };
  const first = await laconic(...words);
  expect([first.code, first.err]).toEqual([1, expect.stringContaining("equal-token samples wait")]);
  // The dealt teams have all their samples: that question states nothing that could be dealt.
  const early = (await records()).filter(({ equalTo }) => equalTo !== null);
  expect(new Set(early.map(({ equalTo }) => equalTo?.setting))).toEqual(new Set(["dealt"]));
  down = false;
  const { code, out } = await laconic("bench", "--resume", "--run", run, "--offline");
  expect(code).toBe(0);
  const kept = (await records()).filter(({ status }) => status === "scored");
  const mean = (method: string, setting: string): number => {
    const own = kept.filter((each) => each.method === method && each.setting === setting);
    return sum(own.map((each) => each.promptTokens + each.completionTokens)) / own.length;
  };
  const singles = kept.filter(({ equalTo }) => equalTo !== null);
  const names = ["debate", "debate/dealt", "hint", "hint/dealt"];
  expect(new Set(singles.map(({ method }) => method))).toEqual(
    new Set(names.flatMap((team) => [`equal-budget:votes@${team}`, `equal-budget:thought@${team}`])),
  );
  for (const { equalTo, setting, promptTokens, completionTokens, method, calls } of singles) {
    expect(setting).toBe("whole");
    expect(equalTo?.tokens).toBeCloseTo(mean(equalTo?.method ?? "", equalTo?.setting ?? ""), 9);
    const [tokens, budget] = [promptTokens + completionTokens, equalTo?.tokens ?? 0];
    // Votes end with the sample that passes the budget; a thought ends within it, or is one reply of the bench's ceiling.
    const one = tokens / calls;
    const within = method.includes("votes")
      ? tokens >= budget - 1 && tokens - one < budget
      : tokens <= Math.max(budget + 1, promptTokens + 64);
    expect([method, within]).toEqual([method, true]);
  }
  expect(new Set(singles.map(({ equalTo }) => Math.round(equalTo?.tokens ?? 0))).size).toBeGreaterThan(2);
  expect(sum(kept.map((each) => each.promptTokens + each.completionTokens))).toBe(tokensOf(served));
  expect(served.length).toBeLessThanOrEqual(bound.calls);
  expect(sum(served.map(({ promptTokens }) => promptTokens))).toBeLessThanOrEqual(bound.promptTokens);
  expect(sum(served.map(({ completionTokens }) => completionTokens))).toBeLessThanOrEqual(bound.completionTokens);
  expect(out).toContain("## A single agent with the tokens of each team");
  expect(out).toContain("| LLM-Debate, dealt |");
  expect(out).toContain("Single agent, equal tokens, votes, as LLM-Debate (dealt)");
});

test("rejects equal-budget methods without a team", async () => {
  const { url, served } = await recordingServer(() => "#### 1");
  const { words } = await bench(url, "vanilla,equal-budget");
  const { code, err } = await laconic(...words);
  expect([code, served.length, err]).toEqual([2, 0, expect.stringContaining("no method has several agents")]);
});

test("a model per role asks its own server at its own price and keeps the key", async () => {
  const [home, other] = [await recordingServer(() => "Say it."), await recordingServer(() => "#### 17")];
  const { words, records, run } = await bench(
    home.url,
    "hint,vanilla",
    cli`--role-model actor=big@${other.url},hint=small
    --role-price actor=100/200,collaborator=1/2 --price 10,20`,
  );
  const { code, out } = await laconic(...words);
  expect(code).toBe(0);
  expect(new Set(other.served.map(({ model }) => model))).toEqual(new Set(["big"]));
  expect(other.served).toHaveLength(4);
  expect(home.served.filter(({ model }) => model === "small")).toHaveLength(4);
  expect(home.served.filter(({ model }) => model === "fake")).toHaveLength(4);
  const cost = (served: readonly ServedRequest[], prompt: number, completion: number): number =>
    sum(served.map((each) => (each.promptTokens * prompt + each.completionTokens * completion) / 1e6));
  const hinted = (await records()).filter(({ method }) => method === "hint");
  const small = home.served.filter(({ model }) => model === "small");
  expect(sum(hinted.map(({ usd }) => usd ?? 0))).toBeCloseTo(cost(other.served, 100, 200) + cost(small, 1, 2), 12);
  expect(hinted[0]?.byModel.map(({ model, calls }) => [model, calls])).toEqual([
    ["small", 1],
    ["big", 1],
  ]);
  expect(out).toMatch(/## Tokens and cost by model\n[\s\S]*\| nuts \| Hint-Actor, untrained \| big \| 1 \|/u);
  expect(JSON.parse(await readFile(join(run, "bench.json"), "utf8"))).toMatchObject({
    roleModels: { actor: { model: "big", baseUrl: other.url }, collaborator: { model: "small", baseUrl: home.url } },
  });
  expect(other.served.every(({ key }) => key === "Bearer none")).toBe(true);
});

test.for([
  [["--role-model", "critc=m"], "no method has a role critc without a model; use one of: collaborator, actor"],
  [["--role-model", "actor"], '"actor" is not ROLE=...'],
  [["--role-price", "actor=1/2"], "actor has no separate model"],
  [["--actor", "shipped"], "an actor needs a trained team"],
] as const)("rejects %j", async ([more, reason]) => {
  const { url, served } = await recordingServer(() => "#### 1");
  const { words } = await bench(url, "hint", more);
  const { code, err } = await laconic(...words);
  expect([code, served.length, err]).toEqual([2, 0, expect.stringContaining(reason)]);
});
