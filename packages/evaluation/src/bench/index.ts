/**
 * Folder of a bench: settings, questions, plan, records, report. Node only.
 * @module @laconic/evaluation/bench
 */
export { checkBenchConfig, readBenchConfig, settingsFile } from "./bench-config.ts";
export type { BenchConfig, BenchModel } from "./bench-config.ts";
export { benchDataOf } from "./bench-data.ts";
export type { BenchData } from "./bench-data.ts";
export type { OpenModel } from "./prepare-bench.ts";
export { listedProtocols, protocolList } from "./protocol-list.ts";
export { checkBoard } from "./bench-config.ts";
export type { Board, OwnBenchValues } from "./bench-config.ts";
export { paidModels, prepareBench } from "./prepare-bench.ts";
export type { PreparedBench, TrainedTeam } from "./prepare-bench.ts";
export { playBench } from "./play-bench.ts";
export { writeBenchReport, writePairReport } from "./bench-report.ts";
export type { BenchReport } from "./bench-report.ts";
export { describeSeen, seenByTeam, seenFile, skippedFile } from "./bench-folder.ts";
export type { SeenByTeam } from "./bench-folder.ts";
export { inBenchFolder, makeBenchFolder, questionRecords, taskRecords } from "./bench-folder.ts";
export { checkPairConfig, pairMethod, pairSettingsFile, pairTask, readPairConfig } from "./pair-config.ts";
export type { PairConfig } from "./pair-config.ts";
export { gridLines } from "./prepare-bench.ts";
