import type { Command } from "../cli/command.ts";

/** Commands in the order of the help; loaded on use. */
export const commandTable: Readonly<Record<string, () => Promise<Command>>> = {
  quickstart: async () => (await import("./train.ts")).quickstartCommand,
  init: async () => (await import("./init.ts")).initCommand,
  train: async () => (await import("./train.ts")).trainCommand,
  plan: async () => (await import("./plan.ts")).planCommand,
  eval: async () => (await import("./eval.ts")).evalCommand,
  view: async () => (await import("./view.ts")).viewCommand,
  "view ls": async () => (await import("./runs.ts")).lsCommand,
  "view compare": async () => (await import("./runs.ts")).compareCommand,
  "view report": async () => (await import("./report.ts")).reportCommand,
  "view export": async () => (await import("./runs.ts")).exportCommand,
  "view send": async () => (await import("./send.ts")).sendCommand,
  "view playground": async () => (await import("./view.ts")).playgroundCommand,
  verify: async () => (await import("./verify.ts")).verifyCommand,
  serve: async () => (await import("./serve.ts")).serveCommand,
  "serve weights": async () => (await import("./receive.ts")).receiveCommand,
  "data ls": async () => (await import("./data.ts")).dataLsCommand,
  "data get": async () => (await import("./data.ts")).dataGetCommand,
  "data check": async () => (await import("./data.ts")).dataCheckCommand,
  "data show": async () => (await import("./data.ts")).dataShowCommand,
  grade: async () => (await import("./grade.ts")).gradeCommand,
  "grade judge": async () => (await import("./judge.ts")).judgeCommand,
  reproduce: async () => (await import("./reproduce.ts")).reproduceCommand,
  bench: async () => (await import("./bench.ts")).benchCommand,
  exec: async () => (await import("./exec.ts")).execCommand,
  "topology ls": async () => (await import("./topology.ts")).topologyLsCommand,
  "topology show": async () => (await import("./topology.ts")).topologyShowCommand,
  sweep: async () => (await import("./sweep.ts")).sweepCommand,
  "sweep ablate": async () => (await import("./sweep.ts")).ablateCommand,
  analyze: async () => (await import("./analyze.ts")).analyzeCommand,
  "analyze probe": async () => (await import("./analyze.ts")).probeCommand,
  "analyze rescore": async () => (await import("./analyze.ts")).rescoreCommand,
  "relay show": async () => (await import("./relay.ts")).relayShowCommand,
  "relay warm-start": async () => (await import("./relay.ts")).relayWarmStartCommand,
  doctor: async () => (await import("./doctor.ts")).doctorCommand,
  completion: async () => (await import("./completion.ts")).completionCommand,
};

/** Descriptions of command groups. */
export const commandGroups: Readonly<Record<string, string>> = {
  data: "List, download, check and show benchmark data",
  topology: "List and draw communication graphs",
  relay: "Show a problem of the relay task, or teach a fresh model its wordy teacher's messages",
};
