import type { CommandDef } from "citty";
import type { ExitCode } from "../cli/command.ts";
import type { CommandContext } from "./common.ts";

/** A command that is read when it is asked for: `--help` of the root opens none. */
export interface ListedCommand {
  readonly name: string;
  readonly description: string;
  readonly load: () => Promise<(context: CommandContext, exit: ExitCode) => CommandDef>;
}

/** Every command, in the order in which the help lists them. */
export const commandTable: readonly ListedCommand[] = [
  {
    name: "quickstart",
    description: "Train a team to solve the same problems with a fraction of the words: minutes on two cores",
    load: async () => (await import("./quickstart.ts")).quickstartCommand,
  },
  {
    name: "init",
    description: "Write a project of your own: a task, a run configuration and a test; trains on two cores in a minute",
    load: async () => (await import("./init.ts")).initCommand,
  },
  {
    name: "train",
    description: "Train from a configuration file or preset:NAME, with key=value changes; or --resume a run",
    load: async () => (await import("./train.ts")).trainCommand,
  },
  {
    name: "plan",
    description: "Say what a run will take before it starts: memory by part, the largest batches that fit, time",
    load: async () => (await import("./plan.ts")).planCommand,
  },
  {
    name: "schema",
    description: "Print the JSON schema of configuration files, by which editors complete keys and say defaults",
    load: async () => (await import("./schema.ts")).schemaCommand,
  },
  {
    name: "eval",
    description: "Evaluate a run's last checkpoint on test problems",
    load: async () => (await import("./eval.ts")).evalCommand,
  },
  {
    name: "view",
    description:
      "Look at runs, sweeps and benches in the browser, live while they are written, or --export them as one file",
    load: async () => (await import("./view.ts")).viewCommand,
  },
  {
    name: "playground",
    description: "Train a team in a tab of the browser: the playground page, served from this machine alone",
    load: async () => (await import("./view.ts")).playgroundCommand,
  },
  {
    name: "report",
    description:
      "Write the report of a run (one HTML page with charts and transcripts) or of a bench (the papers' tables)",
    load: async () => (await import("./report.ts")).reportCommand,
  },
  {
    name: "send",
    description: "Tell a sink what a run's folder has: metrics, validation values and transcripts",
    load: async () => (await import("./send.ts")).sendCommand,
  },
  {
    name: "ls",
    description: "List the runs of a folder: state, steps, accuracy, tokens, time, device, warnings",
    load: async () => (await import("./ls.ts")).lsCommand,
  },
  {
    name: "compare",
    description: "What differs between runs: settings, and figures with their intervals, seeds together",
    load: async () => (await import("./compare.ts")).compareCommand,
  },
  {
    name: "export",
    description: "Write a run's metrics, evaluations, episodes and turns as CSV",
    load: async () => (await import("./export.ts")).exportCommand,
  },
  {
    name: "verify",
    description: "Check a run's folder with plain formulas, and name what they do not cover",
    load: async () => (await import("./verify.ts")).verifyCommand,
  },
  {
    name: "serve",
    description: "Put a policy behind an OpenAI-compatible endpoint",
    load: async () => (await import("./serve.ts")).serveCommand,
  },
  {
    name: "receive",
    description: "Take weights over HTTP beside an inference server that shares no disk with the trainer",
    load: async () => (await import("./receive.ts")).receiveCommand,
  },
  {
    name: "data",
    description: "Benchmark data: list, get, check and show it",
    load: async () => (await import("./data.ts")).dataCommand,
  },
  {
    name: "grade",
    description:
      "Judge replies by their gold answers, one verdict a row; without FILE the grader's own board of labelled pairs",
    load: async () => (await import("./grade.ts")).gradeCommand,
  },
  {
    name: "judge",
    description: "A model judges: whose answers it prefers of two runs, or how far it agrees with labelled ones",
    load: async () => (await import("./judge.ts")).judgeCommand,
  },
  {
    name: "reproduce",
    description: "Play a paper's table and test every cell against the published figure",
    load: async () => (await import("./reproduce.ts")).reproduceCommand,
  },
  {
    name: "bench",
    description:
      "Run published methods on benchmarks or your own questions with your model, or teams on tasks; make the papers' tables",
    load: async () => (await import("./bench.ts")).benchCommand,
  },
  {
    name: "pairs",
    description: "The former name of bench --tasks: trained pairs of writers or programmers, and MAGRPO's baselines",
    load: async () => (await import("./pairs.ts")).pairsCommand,
  },
  {
    name: "exec",
    description: "Run a Python program in the sandbox: no files, no network, no environment, within limits",
    load: async () => (await import("./exec.ts")).execCommand,
  },
  {
    name: "topology",
    description: "Communication graphs: list and draw the built-in ones",
    load: async () => (await import("./topology.ts")).topologyCommand,
  },
  {
    name: "sweep",
    description:
      "Train one configuration with several values of its settings, such as budgets: the accuracy-token frontier",
    load: async () => (await import("./sweep.ts")).sweepCommand,
  },
  {
    name: "ablate",
    description: "Train one configuration with one part changed at a time: no price, a fixed price, GRPO, or your own",
    load: async () => (await import("./ablate.ts")).ablateCommand,
  },
  {
    name: "analyze",
    description:
      "What a run's team says and what its messages are worth: replays without them, before and after training",
    load: async () => (await import("./analyze.ts")).analyzeCommand,
  },
  {
    name: "probe",
    description: "Give a run's team other problems and teammates by families: how far its accuracy falls",
    load: async () => (await import("./probe.ts")).probeCommand,
  },
  {
    name: "rescore",
    description: "Score a run's recorded episodes under other prices, edges or grades, without asking a model",
    load: async () => (await import("./rescore.ts")).rescoreCommand,
  },
  {
    name: "relay",
    description: "The relay task: facts split over agents who cannot answer alone",
    load: async () => (await import("./relay.ts")).relayCommand,
  },
  {
    name: "story",
    description: "The story worlds: teams of a small language model",
    load: async () => (await import("./story.ts")).storyCommand,
  },
  {
    name: "doctor",
    description: "Say what this machine can run on, and what is missing",
    load: async () => (await import("./doctor.ts")).doctorCommand,
  },
  {
    name: "completion",
    description: "Print the script by which bash, zsh or fish completes commands, flags, presets and run folders",
    load: async () => (await import("./completion.ts")).completionCommand,
  },
];
