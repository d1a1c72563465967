/**
 * Published figures, how each is played here, and whether what came of it agrees with them.
 * @module @laconic/evaluation/reproduction
 */
export { playedTable, reproductionLedger } from "./ledger.ts";
export type { LedgerRow } from "./ledger.ts";
export { reproducedCells } from "./compatible.ts";
export type { ReproducedCell } from "./compatible.ts";
