/**
 * Published figures, how we play them, and whether our results agree.
 * @module @laconic/evaluation/reproduction
 */
export { agentPoActor } from "../published.ts";
export { agentPoTable } from "./ledger.ts";
export { reproducedAverages, reproducedCells } from "./compatible.ts";
export type { ReproducedCell } from "./compatible.ts";
export { playedTable, reproductionLedger } from "./ledger.ts";
export type { LedgerRow } from "./played-on.ts";
