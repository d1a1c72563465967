/**
 * Folder of a bench: settings, questions, plan, records, report. Node only.
 * @module @laconic/evaluation/bench
 */
export { checkBenchConfig, readBenchConfig, settingsFile, checkBoard } from "./bench-config.ts";
export type { BenchConfig, BenchModel, Board, OwnBenchValues } from "./bench-config.ts";
export { benchDataOf, type BenchData } from "./bench-data.ts";
export type { OpenModel, PreparedBench, TrainedTeam } from "./prepare-bench.ts";
export { listedProtocols, protocolList } from "./protocol-list.ts";
export { paidModels, prepareBench, departureLines, gridLines } from "./prepare-bench.ts";
export { playBench } from "./play-bench.ts";
export { writeBenchReport, writePairReport, type BenchReport } from "./bench-report.ts";
export { describeSeen, seenByTeam, seenFile, skippedFile, type SeenByTeam } from "./bench-folder.ts";
export { readRecords } from "../record-file.ts";
export { inBenchFolder, makeBenchFolder, questionRecords, taskRecords } from "./bench-folder.ts";
export { checkPairConfig, pairMethod, pairSettingsFile, pairTask, readPairConfig } from "./pair-config.ts";
export type { PairConfig } from "./pair-config.ts";
