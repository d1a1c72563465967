import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { baselineNamed, baselines, type Baseline } from "@laconic/baselines";
import { benchmarkNamed, mathsGrader, type OpenOptions } from "@laconic/benchmarks";
import { LaconicError } from "@laconic/core";
import {
  benchJobs,
  estimate,
  openJobs,
  openRecords,
  runBench,
  unpartitioned,
  type BenchJob,
  type BenchSettings,
} from "@laconic/evaluation";
import { hubEnvironment } from "@laconic/hub";
import type { ApiEvent } from "@laconic/openai";
import { dealSeed, dealTo } from "@laconic/worlds/text";
import { codeGrader, createSandbox, programRunner } from "@laconic/sandbox";
import type { CommandDef } from "citty";
import { configOf } from "../bench/bench-arguments.ts";
import { benchDataOf } from "../bench/bench-data.ts";
import { checkJudge, openJudge } from "../bench/bench-judge.ts";
import { benchSets } from "../bench/bench-sets.ts";
import { describeSkipped, writeSkipped } from "../bench/left-out-file.ts";
import { sayPlan } from "../bench/bench-plan.ts";
import { progressOf } from "../bench/bench-progress.ts";
import { methodSpec } from "../bench/method-spec.ts";
import { openOwnMethods } from "../bench/own-values.ts";
import { checkRoles, openRoleModels, roleIds } from "../bench/role-models.ts";
import { listedProtocols, protocolList } from "../bench/protocol-list.ts";
import { trainedTeam, type TrainedTeam } from "../bench/trained-team.ts";
import { addCalibration, readCalibrations } from "../bench/calibration-file.ts";
import { writeBenchReport } from "../bench/bench-report.ts";
import { readBenchConfig, samplesFile, settingsFile, type BenchConfig } from "../bench/bench-settings.ts";
import { command, type ExitCode } from "../cli/command.ts";
import { exists } from "../cli/files.ts";
import { wholeNumber } from "../cli/numbers.ts";
import { downloadProgress } from "../cli/download-progress.ts";
import type { Terminal } from "../cli/terminal.ts";
import { fromFolder, keepSources, sourcesOf } from "@laconic/runtime/resolver";
import { withDashboard } from "../serving/with-dashboard.ts";
import { jsonFlag, viewFlag, type CommandContext } from "./common.ts";
import { dataFolder } from "@laconic/runtime/folders";
import { openAccount } from "@laconic/runtime/spending";
import { checkPriced, deadlineOf, timeoutFlag } from "../run/spending.ts";

export function benchCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "bench",
      args: {
        benchmarks: {
          type: "string",
          description: "Names, with commas; laconic data ls lists them; or ./FILE.ts that exports one",
          valueHint: "a,b",
        },
        data: {
          type: "string",
          description:
            "Questions of your own: JSON lines, JSON, CSV, Parquet, or hub:OWNER/NAME/FILES; needs --grading",
          valueHint: "file",
        },
        grading: {
          type: "string",
          description: "How answers to --data are judged: numeric, letter, maths, code or text",
          valueHint: "kind",
        },
        columns: {
          type: "string",
          description: "Where --data has what, unless it is called so",
          valueHint: "question=a,gold=b",
        },
        lenient: { type: "boolean", description: "Leave out rows of --data that cannot be read, and count them" },
        methods: {
          type: "string",
          description: `Names, with commas: ${baselines.map(({ name }) => name).join(", ")}; a trained team as NAME=RUN; or ./FILE.ts that exports one`,
          valueHint: "a,b",
        },
        model: { type: "string", description: "Name that the server knows it by", valueHint: "name" },
        "base-url": {
          type: "string",
          description: "OpenAI-compatible server (default: $OPENAI_BASE_URL, or OpenAI); its key is $OPENAI_API_KEY",
          valueHint: "url",
        },
        "role-model": {
          type: "string",
          description: "Models of single roles: actor=NAME@URL,hint=NAME,router=... (without URL the bench's server)",
          valueHint: "role=name@url",
        },
        "role-price": {
          type: "string",
          description: "US dollars per million prompt and completion tokens of a role's model: actor=0.15/0.6",
          valueHint: "role=p/c",
        },
        actor: {
          type: "string",
          description:
            "Who speaks for the agents of trained teams that do not learn: hub:OWNER/NAME, a model folder, another run, or api:NAME@URL",
          valueHint: "model",
        },
        "actor-price": {
          type: "string",
          description: "US dollars per million prompt and completion tokens of that actor's server, where not public",
          valueHint: "p,c",
        },
        judge: {
          type: "string",
          description:
            "A model that judges free answers (--grading text) by their golds, instead of comparing characters",
          valueHint: "name@url",
        },
        "judge-price": {
          type: "string",
          description: "US dollars per million prompt and completion tokens of the judge, where not public",
          valueHint: "p,c",
        },
        distribute: {
          type: "boolean",
          description: "Play the same questions dealt among agents too, by all methods that can; a table of their own",
        },
        run: { type: "string", description: "Directory of the bench", valueHint: "dir", default: "bench" },
        resume: {
          type: "boolean",
          description: "Go on with the bench in --run: what is missing or failed, and nothing else",
        },
        limit: { type: "string", description: "Questions of each benchmark; all by default", valueHint: "n" },
        seed: {
          type: "string",
          description: "Chooses questions, examples and samples",
          valueHint: "text",
          default: "0",
        },
        repeats: { type: "string", description: "Times that each question is asked", valueHint: "n", default: "1" },
        temperature: { type: "string", description: "Of every method, instead of each paper's", valueHint: "t" },
        "max-tokens": {
          type: "string",
          description: "Of one reply (default: each protocol's ceiling, such as 1024, DyLAN's 2048; --list shows them)",
          valueHint: "n",
        },
        ...timeoutFlag,
        shots: {
          type: "string",
          description: "Worked examples of every method, instead of each paper's",
          valueHint: "n",
        },
        "max-usd": { type: "string", description: "Stop before more is spent", valueHint: "$" },
        price: {
          type: "string",
          description: "US dollars per million prompt and completion tokens, where the model's is not known",
          valueHint: "p,c",
        },
        concurrency: { type: "string", description: "Questions at a time", valueHint: "n", default: "32" },
        "max-errors": {
          type: "string",
          description: "Failed samples after which the bench stops; it can go on with --resume",
          valueHint: "n",
          default: "20",
        },
        insecure: { type: "boolean", description: "Send the key over http to another machine" },
        folder: {
          type: "string",
          description: "Where data files are kept (default: $LACONIC_DATA)",
          valueHint: "folder",
        },
        offline: { type: "boolean", description: "Download no data" },
        list: { type: "boolean", description: "Say how each method is played on which questions, and stop" },
        "dry-run": { type: "boolean", description: "Say what it would take, and stop" },
        ...viewFlag,
        ...jsonFlag,
      },
      run: async (args) => {
        if (args.list) {
          terminal.result(args.json ? JSON.stringify(listedProtocols(args.methods)) : protocolList(args.methods));
          return 0;
        }
        const directory = resolve(args.run);
        const hub = hubEnvironment(process.env);
        const reach = { ...hub, offline: hub.offline || args.offline === true };
        const config = args.resume
          ? await readBenchConfig(directory)
          : await configOf(args, directory, await benchDataOf(args, reach, (text) => terminal.note(text)));
        if (!args.resume && !args["dry-run"] && (await exists(join(directory, settingsFile))))
          throw new LaconicError(
            "run_exists",
            `${directory} holds a bench already; go on with --resume, or choose another --run`,
            { directory },
          );
        const open = (name: string): OpenOptions => ({
          folder: dataFolder(args.folder),
          hub,
          offline: args.offline === true,
          onProgress: downloadProgress(benchmarkNamed(name).name, terminal),
        });
        const maxErrors = wholeNumber("max-errors", args["max-errors"], 0);
        const deadline = deadlineOf(args);
        const ownMethods = await openOwnMethods(config.own, directory);
        const sets = await benchSets(config, {
          directory,
          ownMethods,
          open,
          hub: reach,
          note: (text) => terminal.note(text),
        });
        const settings: BenchSettings = {
          ...config,
          model: `${config.baseUrl} ${config.model}`,
          roleModels: roleIds(config),
        };
        const specs = config.methods.map((method) => methodSpec(method));
        const teams: TrainedTeam[] = [];
        const methods: Baseline[] = [];
        for (const { name, run } of specs) {
          const team = run === null ? null : await trainedTeam(name, run, terminal, config.actor, config.actorPrice);
          if (team) teams.push(team);
          methods.push(team?.method ?? baselineNamed(name));
        }
        // Before anything is written: a directory with settings is one to go on with.
        if (config.maxUsd !== null) {
          checkPriced(config.price, config.model, "price");
          for (const [slot, { model, price }] of Object.entries(config.roleModels))
            checkPriced(price, `${slot}'s ${model}`, "role-price");
        }
        for (const { unpriced } of teams)
          if (config.maxUsd !== null && unpriced !== null) checkPriced(null, unpriced, "actor-price");
        methods.push(...ownMethods);
        const partitioner = config.distribute ? { seed: dealSeed, dealTo } : null;
        const all = benchJobs(sets, settings, methods, partitioner);
        checkRoles(all, config);
        checkJudge(all, config);
        const jobs = withWhatTheyLearnOn(all, (text) => terminal.note(text));
        const skipped = unpartitioned(sets, settings, methods, partitioner);
        for (const line of describeSkipped(skipped)) terminal.note(line);
        if (config.actorPrice !== null && teams.every(({ asksServer }) => !asksServer))
          throw new LaconicError("config_invalid", "--actor-price: no trained team's actor is behind a server", {
            flag: "actor-price",
          });
        sayPlan(jobs, settings, config, terminal);
        if (config.judge) {
          const judged = jobs.filter(({ problem }) => problem.grading.kind === "text").length;
          terminal.note(
            `besides at most ${2 * judged} questions to the judge ${config.judge.model}: in the cap, and in no table`,
          );
        }
        if (args["dry-run"]) {
          if (args.json) terminal.result(JSON.stringify({ ...estimate(jobs, settings), config }));
          return 0;
        }
        await mkdir(directory, { recursive: true });
        if (!args.resume) {
          await writeFile(join(directory, settingsFile), `${JSON.stringify(config, null, 2)}\n`);
          await keepSources(directory, await sourcesOf(fromFolder(directory, config.own)));
        }
        await writeSkipped(directory, skipped);
        return withDashboard(args.view, { folder: directory, page: "list" }, terminal, async () => {
          const limits = { insecure: args.insecure === true, maxErrors, deadline };
          const stopped = await perform({ jobs, teams }, settings, config, directory, limits, terminal);
          const { summaries, markdown, files } = await writeBenchReport(directory);
          terminal.result(args.json ? JSON.stringify({ directory, stopped, summaries, files }) : markdown);
          if (stopped !== null)
            terminal.note(`stopped: ${stopped}\ngo on with: laconic bench --resume --run ${args.run}`);
          if (stopped === "aborted") return 130;
          return stopped === null && summaries.every(({ scored, samples }) => scored === samples) ? 0 : 1;
        });
      },
    },
    exit,
  );
}

/** Leaves out methods that learn first, on benchmarks without questions for that: a test's own are never used. */
function withWhatTheyLearnOn(jobs: readonly BenchJob[], note: (text: string) => void): BenchJob[] {
  const lacks = ({ method, set }: BenchJob): boolean => method.calibrate !== undefined && set.calibration.length === 0;
  const left = jobs.filter((job) => lacks(job));
  const named = (names: readonly string[]): string => [...new Set(names)].join(", ");
  if (left.length > 0)
    note(
      `left out: ${named(left.map(({ method }) => method.name))} on ${named(left.map(({ set }) => set.benchmark))}; they learn on questions that are not the test's, and none are here`,
    );
  return jobs.filter((job) => !lacks(job));
}

/** Loaded where it is used: the SDK takes a tenth of a second, which every other command would pay. */
function openAi(): Promise<typeof import("@laconic/openai")> {
  return import("@laconic/openai");
}

interface PerformOptions {
  readonly insecure: boolean;
  readonly maxErrors: number;
  readonly deadline: { readonly deadlineMs?: number };
}

async function perform(
  { jobs, teams }: { readonly jobs: readonly BenchJob[]; readonly teams: readonly TrainedTeam[] },
  settings: BenchSettings,
  config: BenchConfig,
  directory: string,
  { insecure, maxErrors, deadline }: PerformOptions,
  terminal: Terminal,
): Promise<string | null> {
  const { Limiter, openAiModel } = await openAi();
  const file = await openRecords(join(directory, samplesFile));
  const learned = await readCalibrations(directory);
  // The cap is the bench's, however often it is gone on with, or killed.
  const spentBefore = spentOn([...file.records.values(), ...learned]);
  const { account, close: closeAccount } = await openAccount(directory, config.maxUsd, spentBefore, terminal);
  const limiter = new Limiter({ start: Math.min(20, config.concurrency), most: Math.max(64, config.concurrency) });
  const { model: name, baseUrl, price, concurrency } = config;
  const onEvent = (event: ApiEvent): void => {
    if (event.kind !== "ceiling-ignored") return;
    const { completionTokens, maxTokens } = event;
    terminal.note(`${name} wrote ${completionTokens} tokens where ${maxTokens} were asked for: costs pass the plan's`);
  };
  const shared = { account, limiter, insecure, onEvent, ...deadline };
  const model = openAiModel({ ...shared, model: name, baseUrl, ...(price && { price }) });
  const roleModels = await openRoleModels(config, { account, insecure, onEvent, ...deadline });
  const kinds = new Set(jobs.map(({ problem }) => problem.grading.kind));
  const maths = mathsGrader();
  const runsPrograms = jobs.some(({ protocol }) => protocol?.runsPrograms === true);
  const sandbox = kinds.has("code") || runsPrograms ? await createSandbox() : null;
  const todo = openJobs(jobs, file.records);
  if (todo.length < jobs.length) terminal.note(`${jobs.length - todo.length} samples are there already`);
  const stop = new AbortController();
  const interrupt = (): void => {
    terminal.note("stopping; what is done is kept (once more to stop at once)");
    stop.abort();
  };
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  try {
    // Models of their own, for as long as they are used.
    for (const team of teams) await team.open(account, deadline);
    const text = await openJudge(config, { account, insecure, onEvent, ...deadline });
    const graders = { maths, ...(sandbox && { code: codeGrader(sandbox) }), ...(text && { text }) };
    const parts = { model, roleModels, graders, price, ...(sandbox && { runProgram: programRunner(sandbox) }) };
    let written: Promise<void> = Promise.resolve(); // one after the other: each adds to the same file
    const onRecord = progressOf(todo.length, account, terminal);
    const outcome = await runBench(todo, settings, parts, file, {
      concurrency,
      maxErrors,
      signal: stop.signal,
      onRecord,
      learned,
      onLearned: (record) => {
        terminal.note(
          `${record.method} has learned on ${record.questions} questions of ${record.benchmark}, ${record.calls} calls`,
        );
        return (written = written.then(() => addCalibration(directory, record)));
      },
    });
    if (outcome.waiting !== undefined && outcome.stopped === null)
      terminal.note(
        `${outcome.waiting} samples of equal tokens wait: samples of their team have no score yet; go on with --resume`,
      );
    return outcome.stopped;
  } finally {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
    for (const team of teams) await team.close();
    await file.close();
    await closeAccount();
    await maths.close();
    await sandbox?.close();
  }
}

/** US dollars, where they are known. */
function spentOn(records: readonly { readonly usd: number | null }[]): number {
  return records.reduce((sum, { usd }) => sum + (usd ?? 0), 0);
}
