/**
 * Published figures, how each is played here, and whether what came of it agrees with them.
 * @module @laconic/evaluation/reproduction
 */
export { agentPoActor } from "../published.ts";
export { agentPoTable } from "./ledger.ts";
export { reproducedAverages, reproducedCells } from "./compatible.ts";
export type { ReproducedCell } from "./compatible.ts";
export { playedTable, reproductionLedger } from "./ledger.ts";
export type { LedgerRow } from "./played-on.ts";
