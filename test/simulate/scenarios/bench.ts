import type { BenchmarkProblem } from "../../../packages/benchmarks/src/index.ts";
import type { Random } from "../../../packages/core/src/index.ts";
import {
  inBenchFolder,
  makeBenchFolder,
  questionRecords,
} from "../../../packages/evaluation/src/bench/bench-folder.ts";
import { openCallFile } from "../../../packages/evaluation/src/kept-calls.ts";
import { benchJobs, openJobs, runBench, type BenchOutcome } from "../../../packages/evaluation/src/index.ts";
import { sampleKey, type SampleRecord } from "../../../packages/evaluation/src/sample-record.ts";
import { openAiModel } from "../../../packages/openai/src/index.ts";
import { Books } from "../books.ts";
import { openAccount } from "../../../packages/runtime/src/spending/spending.ts";
import { diskRoot } from "../disk.ts";
import type { SimulatedServer } from "../machine.ts";
import { expectThat, rowsOf, untilDone, type Scenario } from "../scenario.ts";
import { secret } from "../secret.ts";
import type { World } from "../world.ts";
import type { Ended } from "../program.ts";

const folder = `${diskRoot}/runs/bench`;
/** US dollars per million tokens: replies cost cents, so that caps are reached. */
const price = { prompt: 100, completion: 1000 };
const reply = { prompt: 20, completion: 6 };

const problems: readonly BenchmarkProblem[] = Array.from({ length: 5 }, (_, i) => ({
  id: `p${i}`,
  question: `${i} + 1?`,
  gold: String(i + 1),
  grading: { kind: "numeric" },
}));
const settings = { model: "m", methods: ["vanilla", "sc"], repeats: 1, seed: 0, temperature: null, maxTokens: 50 };
const jobs = benchJobs([{ benchmark: "gsm8k", split: "test", problems, exemplars: [], calibration: [] }], settings);

/** Max reserved US dollars of one call: prompt characters as tokens, plus max tokens or the largest earlier reply. */
const dearest = (hasLied: boolean): number => 0.02 + (hasLied ? 0.5 : 0.05);

const books = new WeakMap<World, Books>();

/** Completes sums. Faults are drawn per reply. A completion is charged when made, delivered or not. */
function sums(world: World): SimulatedServer {
  let replies = 0;
  const latency = world.random.split("replies");
  const own = new Books(price);
  books.set(world, own);
  return (_, { body, signal }) =>
    new Promise((resolve, reject) => {
      const fault = world.faults.reply((replies += 1));
      const end = own.begin(world.program?.pid ?? 0);
      const begun =
        Buffer.from(world.disk.safeBytes(`${folder}/spending.jsonl`) ?? [])
          .toString()
          .split('"reserved"').length - 1;
      if (begun < replies) world.violate(`${replies} calls are sent, and ${begun} are safe on the disk`);
      const { messages } = JSON.parse(body as string) as { messages: readonly { readonly content: string }[] };
      const number = Number(/(\d+) \+ 1/u.exec(messages.at(-1)?.content ?? "")?.[1]);
      const callOff = world.after(
        fault === "slow" ? 900_000 : 5 + latency.integer(400),
        `reply: ${fault ?? "whole"}`,
        answer,
      );
      signal?.addEventListener("abort", () => {
        callOff();
        end();
        own.unknown += 1;
        reject(new DOMException("This operation was aborted", "AbortError"));
      });
      function answer(): void {
        end();
        if (fault === "dead") own.unknown += 1;
        if (fault === "dead") return reject(new TypeError("fetch failed"));
        if (fault === "status") return resolve(Response.json({ error: { message: secret } }, { status: 503 }));
        own.charge({ promptTokens: reply.prompt, completionTokens: reply.completion });
        if (fault === "cut" || fault === "garbage") own.unknown += 1;
        if (fault === "cut") return reject(new TypeError("terminated"));
        if (fault === "garbage") return resolve(new Response(`{"choices": [${secret}`));
        const completionTokens = fault === "lie" ? 40 * reply.completion : reply.completion;
        const usage = { prompt_tokens: reply.prompt, completion_tokens: completionTokens };
        own.billed.push({ promptTokens: reply.prompt, completionTokens });
        const message = { role: "assistant", content: `#### ${number + 1}` };
        resolve(Response.json({ choices: [{ index: 0, finish_reason: "stop", message }], usage }));
      }
    });
}

/** One process that starts or continues a bench; acknowledged samples are added to `known`. */
function benchOnce(world: World, maxUsd: number, registry: Map<string, SampleRecord>): Promise<Ended<BenchOutcome>> {
  return world.start(async () => {
    await makeBenchFolder(folder); // as `bench` does
    const outcome = await inBenchFolder(
      folder,
      questionRecords,
      (spentUsd) => openAccount(folder, maxUsd, spentUsd, { note: () => undefined } as never),
      async (file, account) => {
        const model = openAiModel({ model: "m", baseUrl: "https://models.example/v1", apiKey: secret, account, price });
        const callFile = await openCallFile(`${folder}/calls.jsonl.gz`, file.records.values());
        try {
          return await runBench(
            openJobs(jobs, file.records),
            settings,
            { model, graders: { maths: noMaths }, price },
            file,
            {
              concurrency: 3,
              callFile,
              onRecord: (record) => {
                const retained = Buffer.from(
                  world.disk.safeBytes(`${folder}/${questionRecords.file}`) ?? [],
                ).toString();
                if (
                  !retained.includes(`${JSON.stringify(record)}
`)
                )
                  world.violate(`sample ${sampleKey(record)} is acknowledged, and is not safe on the disk`);
                const before = registry.get(sampleKey(record));
                if (before?.status === "scored")
                  world.violate(`sample ${sampleKey(record)} is taken again, and its record was acknowledged`);
                registry.set(sampleKey(record), record);
              },
            },
          );
        } finally {
          await callFile.close();
        }
      },
    );
    // Unknown calls stay at their max cost; the next process that opens the journal reports it.
    world.told(outcome.errors > 0 || outcome.stopped !== null ? undefined : /spending\.jsonl/u);
    return outcome;
  });
}

const noMaths = { grade: () => Promise.reject(new Error("none is asked")), close: async () => undefined } as never;

function expectKept(world: World, maxUsd: number, registry: ReadonlyMap<string, SampleRecord>): void {
  const own = books.get(world) as Books;
  expectThat(own.charged <= maxUsd + 1e-9, `the server charged $${own.charged}, and the cap is $${maxUsd}`);
  const most = dearest(world.faults.met.some((fault) => fault.kind === "server" && fault.how === "lie"));
  own.expectJournal(world, `${folder}/spending.jsonl`, { maxUsd, most });
  const retained = rowsOf<{ key?: string }>(world.disk, `${folder}/spending.jsonl`).flatMap(({ key }) => key ?? []);
  expectThat(new Set(retained).size === retained.length, "a reply that was kept is paid again");
  const rows = rowsOf<SampleRecord>(world.disk, `${folder}/${questionRecords.file}`);
  const scored = rows.filter(({ status }) => status === "scored").map((row) => sampleKey(row));
  expectThat(new Set(scored).size === scored.length, "a sample is scored twice");
  const records = rows.filter(({ status }) => status === "scored");
  own.expectRecords(records, world.faults.met.length === 0 && records.length === jobs.length);
  for (const [key, { status }] of registry)
    if (status === "scored")
      expectThat(scored.includes(key), `the record of sample ${key} was acknowledged, and is lost`);
}

/** A bench under a cap that is sufficient or that stops it. */
export const bench: Scenario = {
  title: "a bench of a paid model under a spend cap, continued until it is done or the cap is met",
  share: 24,
  faults: {
    kinds: ["kill", "power", "error", "full", "slow", "server", "server", "server"],
    events: 160,
    replies: 30,
  },
  keyHosts: ["models.example"],
  server: sums,
  async play(world: World, random: Random) {
    world.disk.makeFolder(`${diskRoot}/runs`, true);
    world.disk.syncAll();
    const maxUsd = random.uniform() < 0.5 ? 0.15 + 0.1 * random.uniform() : 100;
    const registry = new Map<string, SampleRecord>();
    const start = async (): Promise<Ended<BenchOutcome>> => {
      const ended = await benchOnce(world, maxUsd, registry);
      // The next process repeats failed samples.
      if (ended.how !== "done" || ended.value.stopped !== null || ended.value.errors === 0) return ended;
      return { how: "killed", by: "kill" };
    };
    const outcome = await untilDone(world, start);
    expectKept(world, maxUsd, registry);
    const rows = rowsOf<SampleRecord>(world.disk, `${folder}/${questionRecords.file}`);
    const scored = new Set(rows.flatMap((row) => (row.status === "scored" ? [sampleKey(row)] : [])));
    if (outcome?.stopped === null)
      expectThat(scored.size === jobs.length, `${scored.size} of ${jobs.length} samples are there`);
  },
};
