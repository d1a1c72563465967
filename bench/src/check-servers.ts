// All published methods against servers, on whole questions and dealt ones: what the bench recorded, what the server says was used, and what the
// plan allowed, and every request beside its golden log, both ways; a line a method, benchmark and setting. A random model of one layer: what it says is noise, and every path counts.
// `npx tsx bench/src/check-servers.ts FILE.jsonl`; needs LACONIC_DATA, and LACONIC_PYTHON with tokenizers (and transformers[serving]).
// What FILE.jsonl holds already is not taken again; `--table` prints it as the table of docs/results/servers.md, and takes nothing.
import { existsSync, readFileSync } from "node:fs";
import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { baselines } from "@laconic/baselines";
import { mathsGrader } from "@laconic/grading";
import {
  benchJobs,
  openRecords,
  settingOf,
  type BenchJob,
  type BenchSet,
  type BenchSettings,
} from "@laconic/evaluation";
import { Limiter, openAiModel } from "@laconic/openai";
import { codeGrader, createSandbox, programRunner } from "@laconic/sandbox";
import { dealSeed, dealTo } from "@laconic/worlds/text";
import { machine, print } from "./measure.ts";
import { checkMethod, type MethodCheck } from "./servers/check-method.ts";
import { countProxy } from "./servers/count-proxy.ts";
import { questionsOf } from "./servers/questions.ts";
import { smallModel } from "./servers/small-model.ts";
import { serversTable } from "./servers/servers-table.ts";
import { serverKinds, type ServerKind } from "./servers/start-servers.ts";
import { readOptions } from "./options.ts";

const {
  values,
  positionals: [out],
} = readOptions({
  allowPositionals: true,
  options: {
    servers: { type: "string", default: Object.keys(serverKinds).join(",") },
    benchmarks: { type: "string", default: "gsm8k,aqua,mmlu-153,humaneval" },
    methods: { type: "string", default: baselines.map(({ name }) => name).join(",") },
    limit: { type: "string", default: "20" },
    calibration: { type: "string", default: "2" },
    "max-tokens": { type: "string", default: "24" },
    // 258: a token a byte, what the plan counts with.
    vocabulary: { type: "string", default: "8192" },
    concurrency: { type: "string", default: "8" },
    table: { type: "boolean", default: false },
  },
});
const [data, python] = [process.env["LACONIC_DATA"], process.env["LACONIC_PYTHON"]];
if (out === undefined || data === undefined || python === undefined)
  throw new Error("check-servers.ts FILE.jsonl, with LACONIC_DATA and LACONIC_PYTHON set");
const [limit, calibration] = [Number(values.limit), Number(values.calibration)];
const named = values.methods.split(",");
const methods = baselines.filter(({ name }) => named.includes(name));
// The team whose tokens methods of equal tokens take.
const team = "debate";

const known = existsSync(out) ? readFileSync(out, "utf8").trim().split("\n") : [];
const checks = known.filter((line) => line !== "").map((line) => JSON.parse(line) as MethodCheck);
if (values.table) {
  process.stdout.write(`${serversTable(checks)}\n`);
  process.exit(0);
}
const taken = new Set(checks.map((check) => keyOf(check)));
const work = await mkdtemp(join(tmpdir(), "laconic-servers-"));
const sets: BenchSet[] = [];
for (const name of values.benchmarks.split(",")) sets.push(await questionsOf(name, data, { limit, calibration }));
const vocabulary = await smallModel(join(work, "model"), python, textsOf(sets), Number(values.vocabulary));
const maths = mathsGrader();
const sandbox = await createSandbox();
print("machine", { ...machine(), vocabulary, limit, calibration, maxTokens: values["max-tokens"] });
try {
  for (const kind of values.servers.split(",") as ServerKind[]) await checkServer(kind);
} finally {
  await maths.close();
  await sandbox.close();
  await rm(work, { recursive: true });
}

async function checkServer(kind: ServerKind): Promise<void> {
  const server = await serverKinds[kind](join(work, "model"), python as string);
  const proxy = await countProxy(server.port);
  const file = await openRecords(join(work, `${kind}.jsonl`));
  const settings: BenchSettings = {
    model: kind,
    methods: methods.map(({ name }) => name),
    repeats: 1,
    seed: 0,
    temperature: null,
    maxTokens: Number(values["max-tokens"]),
  };
  const concurrency = Number(values.concurrency);
  const limiter = new Limiter({ start: concurrency, max: concurrency });
  try {
    const partitioner = { seed: dealSeed, dealTo };
    const jobs = sets.flatMap((set) => benchJobs([set], settings, methods, partitioner));
    const checked = (group: readonly BenchJob[], teamJobs: readonly BenchJob[], tag: string): Promise<MethodCheck> =>
      checkMethod(kind, group, teamJobs, settings, {
        parts: {
          model: openAiModel({ model: server.model, baseUrl: proxy.addressOf(tag), limiter }),
          graders: { maths, code: codeGrader(sandbox) },
          runProgram: programRunner(sandbox),
          price: null,
        },
        file,
        served: proxy.countOf(tag),
        chats: () => proxy.chatsOf(tag),
        concurrency,
      });
    for (const group of groupsOf(jobs)) {
      const [job] = group as [BenchJob];
      if (job.equalTo && job.equalTo.method !== team) continue;
      const tag = keyOf({
        server: kind,
        method: job.method.name,
        benchmark: job.set.benchmark,
        setting: settingOf(job),
      });
      if (taken.has(tag)) continue;
      const teamJobs = job.equalTo ? jobs.filter(({ config }) => config === job.equalTo?.config) : [];
      // The records of a team that an earlier start has checked are gone.
      const unknown = teamJobs.filter(({ key }) => file.records.get(key)?.status !== "scored");
      if (unknown.length > 0) await checked(teamJobs, [], "again");
      const check = await checked(group, teamJobs, tag);
      await appendFile(out as string, `${JSON.stringify({ vocabulary, ...check })}\n`);
      const { equal, within, samples, recorded, strange, missing, seconds } = check;
      print(tag, { equal, within, samples, calls: recorded.calls, strange, missing, seconds });
    }
  } finally {
    await file.close();
    await proxy.close();
    await server.close();
  }
}

/** Samples of one method on one benchmark in one setting, a benchmark's teams before those that take their tokens. */
function groupsOf(jobs: readonly BenchJob[]): BenchJob[][] {
  const groups = new Map<string, BenchJob[]>();
  for (const job of jobs) groups.set(job.config, [...(groups.get(job.config) ?? []), job]);
  const late = ([job]: readonly BenchJob[]): number => Number(job?.equalTo !== null);
  const place = ([job]: readonly BenchJob[]): number =>
    sets.findIndex(({ benchmark }) => benchmark === job?.set.benchmark);
  return [...groups.values()].toSorted((a, b) => place(a) - place(b) || late(a) - late(b));
}

function textsOf(all: readonly BenchSet[]): string[] {
  return all.flatMap(({ problems, exemplars }) => [
    ...problems.map(({ question, choices = [] }) => [question, ...choices].join("\n")),
    ...exemplars.slice(0, 1000).map(({ question, solution }) => `${question}\n${solution}`),
  ]);
}

function keyOf({
  server,
  method,
  benchmark,
  setting,
}: Pick<MethodCheck, "server" | "method" | "benchmark" | "setting">) {
  return [server, method, benchmark, setting].join("|");
}
