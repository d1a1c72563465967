import { checkOption } from "./check-option.ts";
import type { Cost, CostScope } from "./cost.ts";

/** Which turns count. */
export interface TurnOptions extends Pick<CostScope, "by"> {
  /** `spoken` leaves silent turns out; `all` counts every turn taken, a constant where the graph fixes who speaks. */
  readonly count: "spoken" | "all";
}

/** turns(y) of Eq. 1: utterances of an episode. @throws LaconicError `config_invalid`. */
export function turns({ count, by }: TurnOptions = { count: "spoken" }): Cost {
  checkOption("turns.count", count, count === "spoken" || count === "all", `"spoken" or "all"`);
  return {
    unit: count === "spoken" ? "utterances that are not silent" : "utterances, silent ones included",
    scope: by === undefined ? {} : { by },
    measure: ({ utterances }) =>
      utterances.filter(
        (utterance) => (by === undefined || utterance.agent === by) && (count === "all" || !utterance.silent),
      ).length,
  };
}
