/**
 * Published figures, how we play them, and whether our results agree.
 * @module @laconic/evaluation/reproduction
 */
export { agentPoActor, trainedRows, type Claim, type TrainedRow } from "../published.ts";
export {
  boardsOf,
  pairObservations,
  questionObservations,
  reproducedCells,
  rowOfMethod,
  seedMethod,
} from "./compatible.ts";
export type { Observation, ReproducedCell } from "./compatible.ts";
export { agentPoTable, reproductionLedger, temperatureDiffers } from "./ledger.ts";
export { departuresOf, isComparable, type Comparison, type LedgerRow } from "./played-on.ts";
