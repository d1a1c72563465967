/** Why an episode ended. An ending is a value; each is counted as `stop/<reason>`. */
export const stopReasons = [
  "answered",
  "no_answer",
  "truncated",
  "turn_limit",
  "token_limit",
  "time_limit",
  "done",
  "error",
] as const;

/** One of `stopReasons`. */
export type StopReason = (typeof stopReasons)[number];
