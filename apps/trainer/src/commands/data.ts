import {
  benchmarkNamed,
  benchmarks,
  checkSplits,
  distribute,
  listSplits,
  openSplit,
  posed,
  seededSubset,
  type Benchmark,
  type BenchmarkProblem,
  type LoadedSplit,
} from "@laconic/benchmarks";
import type { ExemplarOptions } from "@laconic/benchmarks/exemplars";
import { LaconicError } from "@laconic/core";
import { hubEnvironment } from "@laconic/hub";
import { command, type Command } from "../cli/command.ts";
import { wholeNumber } from "../cli/numbers.ts";
import type { Terminal } from "../cli/terminal.ts";
import { jsonFlag } from "../cli/flags.ts";
import { bringExemplars, exemplarFlag, listExemplars, mirrorFlag, showExemplars } from "./data-exemplars.ts";
import { dataFolder } from "@laconic/runtime/folders";
import { visibleJson } from "../cli/visible-json.ts";

const folderFlag = {
  folder: {
    type: "string" as const,
    description: "Where data files are kept (default: $LACONIC_DATA, or laconic/data in the user's cache)",
    valueHint: "folder",
  },
};

const openFlags = {
  ...folderFlag,
  split: { type: "string" as const, description: "Part of the benchmark", valueHint: "name" },
  from: {
    type: "enum" as const,
    description: "The pinned commit whose bytes are known, or the Hugging Face hub",
    options: ["pinned", "hub"],
  },
  offline: { type: "boolean" as const, description: "Ask nobody: only what is there" },
  lenient: { type: "boolean" as const, description: "Leave rows out that cannot be read, and list them" },
  "allow-changed": { type: "boolean" as const, description: "Take files that are not the known ones" },
};

export const dataLsCommand: Command = command({
  description: "List benchmarks and their splits, and which are here",
  args: { ...folderFlag, ...exemplarFlag, ...jsonFlag },
  run: async ({ folder, exemplars, json }, { terminal }) => {
    if (exemplars) return listExemplars(dataFolder(folder), json === true, terminal);
    const rows = await listSplits(dataFolder(folder));
    if (json) terminal.result(visibleJson({ folder: dataFolder(folder), splits: rows }));
    else
      for (const { benchmark, split, problems, pool, here, licence } of rows)
        terminal.result(
          `${here ? "here" : "-   "}  ${`${benchmark} ${split}`.padEnd(20)} ${String(problems).padStart(6)}  ${pool ? "for examples; " : ""}${licence}`,
        );
  },
});

export const dataGetCommand: Command = command({
  description: "Download a benchmark, check it, and keep it",
  args: {
    name: {
      type: "positional",
      required: false,
      description: "Benchmark, or with --exemplars a source of examples (default: all of these)",
    },
    ...openFlags,
    ...exemplarFlag,
    ...mirrorFlag,
    ...jsonFlag,
  },
  run: async (args, { terminal }) => {
    if (args.exemplars) return bringExemplars(args.name, exemplarOptions(args), args.json === true, terminal);
    refuseMirror(args.mirror);
    const loaded = await open(benchmarkNamed(named(args.name)), args, terminal);
    report(loaded, args.json === true, terminal);
    return 0;
  },
});

export const dataCheckCommand: Command = command({
  description: "Read what is here again: bytes, rows, and examples that give test questions away",
  args: {
    name: { type: "positional", required: false, description: "Benchmark; all that are here by default" },
    ...folderFlag,
    ...exemplarFlag,
    ...jsonFlag,
  },
  run: async ({ name, folder: given, exemplars, json }, { terminal }) => {
    const folder = dataFolder(given);
    if (exemplars) return bringExemplars(name, { folder, offline: true }, json === true, terminal);
    const chosen = name === undefined ? benchmarks : [benchmarkNamed(name)];
    const findings = await checkSplits(chosen, folder);
    if (json) terminal.result(visibleJson({ folder, checks: findings }));
    else
      for (const { benchmark, split, problems, complaints, notes } of findings)
        terminal.result(
          `${complaints.length === 0 ? "ok     " : "problem"}  ${benchmark} ${split}: ${problems} problems${[...complaints, ...notes].map((each) => `\n         ${printable(each)}`).join("")}`,
        );
    if (findings.length === 0) terminal.note(`no benchmark file in ${folder}; get one with laconic data get NAME`);
    return findings.length > 0 && findings.every(({ complaints }) => complaints.length === 0) ? 0 : 1;
  },
});

export const dataShowCommand: Command = command({
  description: "Print problems as agents get them",
  args: {
    name: {
      type: "positional",
      description: "Benchmark, or with --exemplars a source of examples; ls lists them",
    },
    ...openFlags,
    ...exemplarFlag,
    ...mirrorFlag,
    limit: { type: "string", description: "How many", default: "1", valueHint: "n" },
    seed: {
      type: "string",
      description: "Which: the first of a shuffle by this seed",
      default: "0",
      valueHint: "text",
    },
    agents: { type: "string", description: "Split the facts over so many agents", valueHint: "n" },
    ...jsonFlag,
  },
  run: async (args, { terminal }) => {
    if (args.exemplars) return showExemplars(args.name, exemplarOptions(args), args.json === true, printable, terminal);
    refuseMirror(args.mirror);
    const { problems } = await open(benchmarkNamed(args.name), args, terminal);
    const limit = wholeNumber("limit", args.limit);
    const agents =
      args.agents === undefined
        ? []
        : Array.from({ length: wholeNumber("agents", args.agents) }, (_, i) => `agent-${i + 1}`);
    let unpartitioned = 0;
    for (const problem of seededSubset(problems, { limit, seed: args.seed })) {
      const shown = agents.length === 0 ? problem : distribute(problem, agents, args.seed)?.problem;
      if (!shown) unpartitioned++;
      else if (args.json) terminal.result(visibleJson(shown));
      else for (const line of linesOf(shown)) terminal.result(printable(line));
    }
    if (unpartitioned > 0)
      terminal.note(`left out: ${unpartitioned} of ${limit} problems state less than two facts that could be dealt`);
  },
});

/** @throws LaconicError `config_invalid` without a name */
function named(name: string | undefined): string {
  if (name !== undefined) return name;
  throw new LaconicError("config_invalid", "data get needs a NAME, or --exemplars; laconic data ls lists them", {
    key: "name",
  });
}

function refuseMirror(mirror: string | undefined): void {
  if (mirror !== undefined)
    throw new LaconicError("config_invalid", "--mirror has no effect without --exemplars; remove it", {
      flag: "mirror",
    });
}

function exemplarOptions({
  folder,
  offline,
  mirror,
}: Pick<OpenArguments, "folder" | "offline"> & { readonly mirror?: string | undefined }): ExemplarOptions {
  return { folder: dataFolder(folder), offline: offline === true, ...(mirror !== undefined && { mirror }) };
}

interface OpenArguments {
  readonly folder?: string | undefined;
  readonly split?: string | undefined;
  readonly from?: string | undefined;
  readonly offline?: boolean | undefined;
  readonly lenient?: boolean | undefined;
  readonly "allow-changed"?: boolean | undefined;
}

function open(benchmark: Benchmark, args: OpenArguments, terminal: Terminal): Promise<LoadedSplit> {
  return openSplit(benchmark, {
    folder: dataFolder(args.folder),
    hub: hubEnvironment(process.env),
    ...(args.split !== undefined && { split: args.split }),
    ...(args.from !== undefined && { from: args.from as "pinned" | "hub" }),
    offline: args.offline === true,
    mode: args.lenient ? "lenient" : "strict",
    allowChanged: args["allow-changed"] === true,
    onProgress: terminal.download(benchmark.name),
  });
}

function report(
  { benchmark, split, problems, refused, warnings, files }: LoadedSplit,
  json: boolean,
  terminal: Terminal,
): void {
  for (const warning of warnings) terminal.note(`warning: ${warning}`);
  for (const { file, row, reason } of refused) terminal.note(`left out: ${file} row ${row}: ${printable(reason)}`);
  if (json)
    return terminal.result(visibleJson({ benchmark, split, problems: problems.length, refused, warnings, files }));
  terminal.result(`${benchmark} ${split}: ${problems.length} problems`);
  for (const { path, sha256, known } of files)
    terminal.result(`  ${path}\n  sha256 ${sha256}${known ? ", as known" : ", not in the registry"}`);
}

function linesOf(problem: BenchmarkProblem): string[] {
  const { id, views = {}, gold, grading } = problem;
  return [
    `# ${id}`,
    posed(problem).question,
    ...Object.entries(views).map(([agent, view]) => `[${agent}] ${view}`),
    `gold (${grading.kind}): ${gold}`,
    "",
  ];
}

/** Data is a stranger's text: nothing in it moves the cursor or hides a line. */
function printable(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, "\ufffd");
}
