import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLocalEngine } from "@laconic/engine";
import { wasmKernels } from "@laconic/engine/wasm";
import {
  lying,
  startFakeSglang,
  startFakeVllm,
  type FakeServer,
  type FakeServerOptions,
} from "@laconic/openai/testing";
import { WeightsReceiver } from "@laconic/openai/fleet";
import { boundPort, closeServer, createHandlerServer, listen } from "@laconic/serve/server";
import { expect, test } from "vitest";
import { cli, laconic, rowsIn } from "../../../test/laconic.ts";
import { temporaryFolder } from "../../../../../test/temporary-folder.ts";
import { shippedCheckpoint } from "@laconic/runtime/models";

async function withServers(
  kind: "vllm" | "sglang",
  body: (fakes: readonly [FakeServer, FakeServer, ...FakeServer[]], sampler: string, run: string) => Promise<void>,
  options: Partial<FakeServerOptions> = {},
  more = 0,
): Promise<void> {
  const engine = await createLocalEngine({ device: wasmKernels(), workers: 1 });
  const base = { kind: "folder", path: fileURLToPath(shippedCheckpoint) } as const;
  const start = kind === "vllm" ? startFakeVllm : startFakeSglang;
  const fakes: [FakeServer, FakeServer, ...FakeServer[]] = [
    await start({ engine, base, ...options }),
    await start({ engine, base, ...options }),
  ];
  for (let i = 0; i < more; i++) fakes.push(await start({ engine, base, ...options }));
  try {
    const urls = fakes.map(({ url }) => url).join(",");
    await body(fakes, `sampler=${kind}:${urls}`, join(await temporaryFolder(), "run"));
  } finally {
    for (const fake of fakes) await fake.close();
    await engine.close();
  }
}

const small = cli`preset:relay-quickstart device=wasm workers=1 lora.rank=4 lora.alpha=8 train.steps=3
  train.problemsPerStep=2 train.episodesPerProblem=4 train.evaluation.problems=10 train.evaluation.every=0
  train.evaluation.transcripts=1 train.checkpoint.every=1 train.oldLogProbs=recompute`;

interface Row {
  readonly server: string;
  readonly weights: string;
  readonly version: number;
  readonly attempts: number;
  readonly gap: number;
}
const rowsOf = (run: string): Promise<Row[]> => rowsIn(run, "samplers.jsonl");

test("a run samples on servers, survives one failure, records the writers, and resumes on others", () =>
  withServers("vllm", async ([one, two], sampler, run) => {
    let asked = 0;
    one.faults = (path, body) => {
      // Third request of version 2, in the second step.
      if (path === "/v1/completions" && (body as { model: string }).model.includes("-v2-") && ++asked === 4)
        void one.kill();
      return null;
    };
    const first = await laconic("train", ...small, sampler, "--run", run, "--json");
    expect([first.code, first.err]).toEqual([
      0,
      expect.stringContaining(`sampler vllm ${two.url} (fake): log-probs`) as string,
    ]);
    expect(first.err).toContain(`samplers 1/2 (${one.url} paused)`);
    const rows = await rowsOf(run);
    const count = (version: number): number => rows.filter((row) => row.version === version).length;
    // Two optimizer steps a step; before the first the evaluation, behind the last that and the test.
    expect([0, 2, 4, 6].map(count)).toEqual([32 + 40, 32, 32, 40 + 40]);
    expect(new Set(rows.map(({ server }) => server))).toEqual(new Set([one.url, two.url]));
    expect(rows.filter(({ attempts }) => attempts > 1).length).toBeGreaterThan(0);
    const environment = JSON.parse(await readFile(join(run, "environment.json"), "utf8")) as Record<string, unknown>;
    expect(environment).toMatchObject({
      samplers: { refused: [], servers: [{ kind: "vllm", logProbsAt: "sampling" }, { kind: "vllm" }] },
    });
    expect(JSON.parse(await readFile(join(run, "config.json"), "utf8"))).toMatchObject({
      sampler: { vllm: { urls: [one.url, two.url] } },
      train: { objective: { importance: { gapAbove: 0.02 } } },
    });
    expect(two.names).toEqual([]); // unloaded
    expect(await readdir(dirname(run))).toEqual(["run"]);

    const more = await laconic("train", "--resume", "--run", run, "train.steps=4", `sampler=vllm:${two.url}`, "--json");
    expect([more.code, more.err]).toEqual([0, expect.stringContaining("sampler.vllm.urls.0") as string]);
    expect(await rowsIn(run, "metrics.jsonl")).toHaveLength(4);
    expect((await rowsOf(run)).slice(rows.length).map(({ server }) => server)).toEqual(
      Array(32 + 40 + 40).fill(two.url),
    );
  }));

const vocabulary = 47;
const testProblems = (err: string): string[] =>
  [...err.matchAll(/validation at step \d+: accuracy [\d.]+ %/gu)].map(([line]) => line);

test("a server that fails after the probe costs no accuracy and is excluded by name", () =>
  withServers("vllm", async ([one], sampler, run) => {
    // From the second version on: the probe and the first evaluation saw a server that is well.
    one.faults = lying("wrong-ids", vocabulary, (_, body) => !(body as { model: string }).model.includes("-v0-"));
    const bad = await laconic("train", ...small, sampler, "--run", run, "--json");
    expect(bad.code).toBe(0);
    expect(bad.err).toContain(`sampler: ${one.url}: `);
    expect(bad.err).toContain("the server is in quarantine");
    const rows = await rowsOf(run);
    expect(rows.filter(({ gap }) => !(gap < 1e-3))).toEqual([]);
    const reason = expect.stringContaining(one.url) as string;
    expect(await rowsIn(run, "warnings.jsonl")).toContainEqual(
      expect.objectContaining({ server: one.url, state: "quarantined", step: 1, reason }),
    );
    expect((await rowsIn(run, "timing.jsonl")).at(-1)).toMatchObject({
      "perf/servers_up": 1,
      "perf/servers_quarantined": 1,
    });
    await withServers("vllm", async (__, healthy, elsewhere) => {
      const well = await laconic("train", ...small, healthy, "--run", elsewhere, "--json");
      expect(testProblems(well.err)).toHaveLength(2);
      expect(testProblems(bad.err)).toEqual(testProblems(well.err));
    });
  }));

test.each([
  ["vllm", "/collective_rpc"],
  ["sglang", "/update_weights_from_disk"],
] as const)("samples full weights on %s", (kind, route) =>
  withServers(kind, async ([one], sampler, run) => {
    const { code, err } = await laconic(
      ...cli`train ${small} lora=null train.steps=2 ${sampler} --run ${run}
      --json`,
    );
    expect([code, err]).toEqual([0, expect.stringContaining("samplers 2/2") as string]);
    expect(one.log.some(({ path }) => path === route)).toBe(true);
    const versions = [...new Set((await rowsOf(run)).map(({ version }) => version))];
    expect(versions).toEqual([0, 2, 4]);
  }),
);

test("servers without a shared disk get weights through receivers", () =>
  withServers("vllm", async (fakes, _, run) => {
    const folder = await temporaryFolder();
    const { handler } = new WeightsReceiver({ folder });
    const server = createHandlerServer(handler, (error) => expect.fail(String(error)));
    await listen(server, 0, "127.0.0.1");
    const receiver = `http://127.0.0.1:${boundPort(server, 0)}`;
    const urls = fakes.map(({ url }) => url);
    const sampler = `sampler=${JSON.stringify({ vllm: { urls, receivers: [receiver, receiver] } })}`;
    const { code, err } = await laconic("train", ...small, sampler, "--run", run, "--json");
    expect([code, err]).toEqual([0, expect.stringContaining("samplers 2/2") as string]);
    const loaded = fakes[0].log.flatMap(({ path, body }) =>
      path === "/v1/load_lora_adapter" ? [(body as { lora_path: string }).lora_path] : [],
    );
    expect(loaded.every((path) => dirname(path) === folder)).toBe(true);
    expect(new Set(loaded).size).toBe(4);
    expect([await readdir(folder), await readdir(dirname(run))]).toEqual([[], ["run"]]);
    await closeServer(server, 0);
  }));

test("rejects unsuitable servers and leaves no files", () =>
  withServers(
    "vllm",
    async (_, sampler, run) => {
      const words = [...small, sampler, "train.sampling.temperature=0.7", "--run", run];
      const refused = await laconic("train", ...words);
      expect([refused.code, existsSync(run)]).toEqual([1, false]);
      expect(refused.err).toContain("--logprobs-mode processed_logprobs");
      expect(await readdir(dirname(run))).toEqual([]);
      const urls = sampler.slice("sampler=vllm:".length).split(",");
      const computed = `sampler=${JSON.stringify({ vllm: { urls, logProbs: "forward" } })}`;
      const taken = await laconic("train", ...words, computed, "train.steps=1");
      expect([taken.code, taken.err]).toEqual([0, expect.stringContaining("computed by the trainer") as string]);
    },
    { logProbs: "raw" },
  ));

test.each([
  [["sampler=vllm:http://10.0.0.1:8000"], "sampler.vllm.folder: http://10.0.0.1:8000 is another machine"],
  [
    ['sampler={"vllm":{"urls":["http://10.0.0.1:8000"],"receivers":["http://10.0.0.1:8790","http://10.0.0.2:8790"]}}'],
    "sampler.vllm.receivers: 2 for 1 servers",
  ],
  [["sampler=vlm:http://127.0.0.1:1"], 'sampler: "vlm:http://127.0.0.1:1" is not a list of servers'],
  [
    ["engine=tinker:http://127.0.0.1:1", "device=auto", "workers=auto", "lora.alpha=32"],
    "sampler: has no effect with engine",
  ],
  [['bases={"policy":"shipped"}'], "bases.policy: the servers have one base model"],
  [['train.sampling={"temperature":1,"topK":5}'], "train.sampling.topK: truncates the distribution"],
  [
    ["sampler=sglang:http://127.0.0.1:1", "lora=null", 'train.asynchronous={"maxLag":2,"importanceCap":2}'],
    "train.asynchronous: needs weights of several steps",
  ],
  [
    ["sampler=sglang:http://127.0.0.1:1", "lora=null", "policies=own", "train.budget=null"],
    "policies: own has several policies",
  ],
])("rejects %j before contacting a server", async (words, reason) => {
  const run = join(await temporaryFolder(), "run");
  const { code, err } = await laconic("train", ...small, "sampler=vllm:http://127.0.0.1:1", ...words, "--run", run);
  expect([code, err.split("\n").at(-1)]).toEqual([2, expect.stringContaining(reason) as string]);
  expect(existsSync(run)).toBe(false);
});

test("a dry run shows the servers, a plan their start commands, doctor their state", () =>
  withServers("vllm", async ([one], sampler) => {
    const dry = await laconic("train", ...small, sampler, "--dry-run");
    expect(JSON.parse(dry.out)).toMatchObject({
      sampler: { vllm: { urls: [one.url, expect.any(String)] } },
      train: { objective: { importance: { kind: "truncate", level: "geometric", cap: 2, gapAbove: 0.02 } } },
    });
    const plan = await laconic("plan", ...small, sampler, "--json", "--tflops", "1");
    expect(JSON.parse(plan.out)).toMatchObject({
      fleet: { servers: 2, versionsAtOnce: 2, publications: 4, repliesPerServer: 16 },
    });
    const text = await laconic("plan", ...small, sampler, "--tflops", "1");
    expect(text.out).toContain("--max-lora-rank 4 --max-loras 2");
    const doctor = await laconic("doctor", "--sampler", sampler.slice("sampler=".length));
    expect([doctor.code, doctor.out]).toEqual([
      0,
      expect.stringContaining(`ok      vllm ${one.url}: version fake, 48 tokens`) as string,
    ]);
    const gone = await laconic("doctor", "--sampler", "sglang:http://127.0.0.1:1", "--json");
    expect([gone.code, JSON.parse(gone.out)]).toMatchObject([1, [{ kind: "sglang", works: false }]]);
  }));
