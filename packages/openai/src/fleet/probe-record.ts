/** What a probe found out about one server; kept with the run. */
export interface ServerRecord {
  readonly kind: string;
  readonly url: string;
  /** Of its software. */
  readonly version: string | null;
  readonly contextLength: number | null;
  /**
   * What its log-probs are of: the distribution that was sampled, or the model's at temperature 1 (vLLM's `raw_logprobs`).
   */
  readonly logProbsAt: "sampling" | "one";
  /** |server's - trainer's| log-prob of a token under equal weights, at the temperature that the server reports. */
  readonly gap: { readonly mean: number; readonly max: number; readonly tokens: number };
  /** Mean gap over the text by which loaded versions are checked: random tokens, where rounding shows more. */
  readonly checkGap: number;
  /** The same request gave the same reply twice. Servers that batch seldom do, so this decides nothing. */
  readonly repeats: boolean;
}

/** What probes found out about a fleet. */
export interface FleetRecord {
  readonly servers: readonly ServerRecord[];
  /** Servers that were refused, and why. */
  readonly refused: readonly { readonly url: string; readonly reason: string }[];
  /** Mean gap of the worst server. */
  readonly gap: number;
  /** Largest mean gap that was allowed. */
  readonly tolerance: number;
  /** Largest mean gap that is allowed for replies. */
  readonly replyTolerance: number;
}
