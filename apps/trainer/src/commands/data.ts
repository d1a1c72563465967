import {
  benchmarkNamed,
  benchmarks,
  checkSplits,
  distribute,
  listSplits,
  openSplit,
  posed,
  seededSubset,
  type BenchmarkProblem,
  type LoadedSplit,
} from "@laconic/benchmarks";
import {
  exemplarsNamed,
  exemplarSources,
  filesOf,
  openExemplars,
  type ExemplarOptions,
  type ExemplarSource,
} from "@laconic/benchmarks/exemplars";
import { configError, LaconicError, present } from "@laconic/core";
import { hubEnvironment } from "@laconic/hub";
import { dataFolder } from "@laconic/runtime/folders";
import {
  choiceFlag,
  flagError,
  grouped,
  optionalPositional,
  positional,
  textFlag,
  toggle,
  wholeFlag,
  type Values,
} from "../cli/arguments.ts";
import { command, type Command } from "../cli/command.ts";
import { jsonFlag } from "../cli/flags.ts";
import { printResult, visibleJson, type Terminal } from "../cli/terminal.ts";

const folderFlag = grouped("Input", {
  folder: textFlag("Folder of the data files (default: $LACONIC_DATA, or the user's cache)", "folder"),
});

const openFlags = {
  ...folderFlag,
  ...grouped("Input", {
    split: textFlag("Split of the benchmark", "name"),
    from: choiceFlag("Source: the pinned commit, or the Hugging Face hub", ["pinned", "hub"]),
    offline: toggle("Use local data files only"),
    lenient: toggle("Skip and list invalid rows"),
    "allow-changed": toggle("Accept files with another checksum"),
  }),
};

const exemplarFlag = grouped("Input", {
  exemplars: toggle("Published examples and prompts of methods instead of a benchmark"),
});

const mirrorFlag = grouped("Input", {
  mirror: textFlag("Address of --exemplars (default: https://raw.githubusercontent.com/)", "address"),
});

type OpenArguments = Values<typeof openFlags & typeof mirrorFlag>;

export const dataLsCommand: Command = command({
  description: "List benchmarks, their splits and the local ones",
  examples: ["laconic data ls"],
  args: { ...folderFlag, ...exemplarFlag, ...jsonFlag },
  run: async (args, { terminal }) => {
    const folder = dataFolder(args.folder);
    if (args.exemplars) {
      const states = await Promise.all(
        exemplarSources.map((source) => exemplarState(source, { folder, offline: true })),
      );
      return printResult(terminal, args.json, { folder, exemplars: states }, ({ exemplars }) =>
        exemplars
          .map(
            ({ name, title, licence, problem }) => `${mark(problem === null)}  ${name.padEnd(20)} ${title}; ${licence}`,
          )
          .join("\n"),
      );
    }
    printResult(terminal, args.json, { folder, splits: await listSplits(folder) }, ({ splits }) =>
      splits
        .map(({ benchmark, split, problems, pool, here, licence }) => {
          const name = `${benchmark} ${split}`.padEnd(20);
          return `${mark(here)}  ${name} ${String(problems).padStart(6)}  ${pool ? "for examples; " : ""}${licence}`;
        })
        .join("\n"),
    );
  },
});

function mark(isHere: boolean): string {
  return isHere ? "here" : "-   ";
}

export const dataGetCommand: Command = command({
  description: "Download and check a benchmark",
  examples: ["laconic data get gsm8k"],
  args: {
    name: optionalPositional("Benchmark; with --exemplars a source of examples (default: all)"),
    ...openFlags,
    ...exemplarFlag,
    ...mirrorFlag,
    ...jsonFlag,
  },
  run: async (args, { terminal }) => {
    if (args.exemplars) return checkExemplars(args.name, exemplarOptions(args), args.json, terminal);
    if (args.name === undefined)
      throw configError("NAME: missing; name a benchmark of laconic data ls, or add --exemplars", { key: "name" });
    const { benchmark, split, problems, refused, warnings, files } = await openBenchmark(args.name, args, terminal);
    for (const warning of warnings) terminal.note(`warning: ${warning}`);
    for (const { file, row, reason } of refused) terminal.note(`skipped: ${file} row ${row}: ${reason}`);
    const match = { benchmark, split, problems: problems.length, refused, warnings, files };
    printResult(terminal, args.json, match, () =>
      [
        `${benchmark} ${split}: ${problems.length} problems`,
        ...files.map(
          ({ path, sha256, known }) => `  ${path}\n  sha256 ${sha256}${known ? ", as known" : ", not in the registry"}`,
        ),
      ].join("\n"),
    );
    return 0;
  },
});

export const dataCheckCommand: Command = command({
  description: "Check local data: checksums, rows, and test questions among the examples",
  examples: ["laconic data check"],
  args: {
    name: optionalPositional("Benchmark (default: all local ones)"),
    ...folderFlag,
    ...exemplarFlag,
    ...jsonFlag,
  },
  run: async ({ name, exemplars, json, ...args }, { terminal }) => {
    const folder = dataFolder(args.folder);
    if (exemplars) return checkExemplars(name, { folder, offline: true }, json, terminal);
    const stored = benchmarks.filter(({ splits }) => !Object.values(splits).some(({ made }) => made));
    const checks = await checkSplits(name === undefined ? stored : [benchmarkNamed(name)], folder);
    if (checks.length === 0) terminal.note(`no benchmark file in ${folder}; get one with laconic data get NAME`);
    if (json) terminal.result(visibleJson({ folder, checks }));
    else
      for (const { benchmark, split, problems, complaints, notes } of checks) {
        const lines = [...complaints, ...notes].map((complaint) => `\n         ${complaint}`).join("");
        const state = complaints.length === 0 ? "ok     " : "problem";
        terminal.result(`${state}  ${benchmark} ${split}: ${problems} problems${lines}`);
      }
    return checks.length > 0 && checks.every(({ complaints }) => complaints.length === 0) ? 0 : 1;
  },
});

export const dataShowCommand: Command = command({
  description: "Print problems as agents receive them",
  examples: ["laconic data show gsm8k --limit 2"],
  args: {
    name: positional("Benchmark from data ls; with --exemplars a source of examples"),
    ...openFlags,
    ...exemplarFlag,
    ...mirrorFlag,
    ...grouped("Limits", { limit: wholeFlag()("Max problems", "n", "1") }),
    ...grouped("Sampling", {
      seed: textFlag("Seed of the problem order", "text", "0"),
      agents: wholeFlag()("Number of agents that share the facts", "n"),
    }),
    ...jsonFlag,
  },
  run: async ({ name, limit, seed, json, ...args }, { terminal }) => {
    if (args.exemplars) {
      const { texts, source } = await openExemplars(exemplarsNamed(name), exemplarOptions(args));
      return printResult(terminal, json, { name, licence: source.licence, texts }, () =>
        Object.entries(texts)
          .map(([key, text]) => `# ${name}: ${key}\n${text}\n`)
          .join("\n"),
      );
    }
    const { problems } = await openBenchmark(name, args, terminal);
    const agents = Array.from({ length: args.agents ?? 0 }, (_, i) => `agent-${i + 1}`);
    const chosen = seededSubset(problems, { limit, seed });
    const shown = chosen.flatMap((problem) =>
      agents.length === 0 ? problem : (distribute(problem, agents, seed)?.problem ?? []),
    );
    for (const problem of shown) terminal.result(json ? visibleJson(problem) : problemText(problem));
    if (shown.length < chosen.length)
      terminal.note(`skipped: ${chosen.length - shown.length} of ${limit} problems, which state fewer than two facts`);
  },
});

function openBenchmark(name: string, args: OpenArguments, terminal: Terminal): Promise<LoadedSplit> {
  if (args.mirror !== undefined) throw flagError("mirror", "has no effect without --exemplars; remove it");
  const { split, from, offline } = args;
  const benchmark = benchmarkNamed(name);
  return openSplit(benchmark, {
    folder: dataFolder(args.folder),
    hub: hubEnvironment(process.env),
    ...present({ split, from }),
    offline,
    mode: args.lenient ? "lenient" : "strict",
    allowChanged: args["allow-changed"],
    onProgress: terminal.download(benchmark.name),
  });
}

function exemplarOptions({ folder, offline, mirror }: OpenArguments): ExemplarOptions {
  return { folder: dataFolder(folder), offline, ...present({ mirror }) };
}

async function exemplarState(
  source: ExemplarSource,
  options: ExemplarOptions,
): Promise<
  Pick<ExemplarSource, "name" | "title" | "licence" | "examples"> & {
    readonly files: readonly { readonly path: string; readonly url: string; readonly sha256: string }[];
    readonly problem: string | null;
  }
> {
  const { name, title, licence, examples } = source;
  const files = filesOf(source).map(({ path, url, sha256 }) => ({ path, url, sha256 }));
  const problem = await openExemplars(source, options).then(
    () => null,
    (error: unknown) => {
      if (LaconicError.is(error)) return error.message;
      throw error;
    },
  );
  return { name, title, licence, examples, files, problem };
}

/** Downloads one source, or all; only checks files if `offline`. @returns 1 for a missing or damaged source */
async function checkExemplars(
  name: string | undefined,
  options: ExemplarOptions,
  json: boolean,
  terminal: Terminal,
): Promise<number> {
  const states: Awaited<ReturnType<typeof exemplarState>>[] = [];
  // Sequential, because several share a file.
  for (const source of name === undefined ? exemplarSources : [exemplarsNamed(name)])
    states.push(await exemplarState(source, options));
  printResult(terminal, json, { folder: options.folder, exemplars: states }, ({ exemplars }) =>
    exemplars
      .map(({ name: source, title, licence, examples, problem, files }) => {
        const lines = problem === null ? files.map(({ path, sha256 }) => `${path}\n  sha256 ${sha256}`) : [problem];
        const state = problem === null ? "ok     " : "problem";
        return [`${state}  ${source}: ${title}, ${examples} examples, licence ${licence}`, ...lines].join("\n  ");
      })
      .join("\n"),
  );
  return states.every(({ problem }) => problem === null) ? 0 : 1;
}

function problemText(problem: BenchmarkProblem): string {
  const { id, views = {}, gold, grading } = problem;
  return [
    `# ${id}`,
    posed(problem).question,
    ...Object.entries(views).map(([agent, view]) => `[${agent}] ${view}`),
    `gold (${grading.kind}): ${gold}\n`,
  ].join("\n");
}
