const marker: unique symbol = Symbol.for("laconic.error");

/** Codes of all Laconic errors. Expected outcomes (a spent budget, an unparsable answer) are values, not errors. */
export type LaconicErrorCode =
  /** Setting that is unknown, out of range, ineffective, or a known mistake. */
  | "config_invalid"
  /** Objective and setting that make another algorithm, or count twice. */
  | "objective_refused"
  /** Invalid function argument. */
  | "input_invalid"
  /** Reward that is not a finite number. */
  | "reward_invalid"
  /** Too few scored samples in a step or evaluation: the judge fails, hangs, or gives invalid scores. */
  | "scoring_failed"
  /** NaN or infinity in finite arithmetic. */
  | "numeric_invalid"
  /** Policy collapse in training: its reward fell and its language changed. */
  | "training_diverged"
  | "topology_invalid"
  /** Model reply that breaks the protocol. */
  | "reply_malformed"
  /** Spend cap that cannot be kept. */
  | "budget_refused"
  | "model_unsupported"
  /** Weight file that is damaged or does not fit the model. */
  | "weights_invalid"
  /** Unusable device or device library. */
  | "device_unavailable"
  /** Insufficient device memory; nothing was changed. */
  | "device_out_of_memory"
  | "engine_failed"
  /** Data file that is missing, changed or damaged, or has an unreadable row. */
  | "data_invalid"
  | "hub_unavailable"
  /** Request refused by an API (key, model, parameter); a retry does not help. */
  | "api_refused"
  /** No usable API answer in time, after all retries. */
  | "api_unavailable"
  /** Sandbox with unknown parts or a failed self-test; nothing is run. */
  | "sandbox_unsafe"
  | "checkpoint_missing"
  | "checkpoint_corrupt"
  /** Checkpoint of another configuration. */
  | "checkpoint_mismatch"
  | "run_exists"
  | "run_missing"
  | "run_unwritable"
  /** Run directory held by another process. */
  | "run_locked"
  | "aborted";

/** Data for error handlers: location, key, limit, observed value. */
export type ErrorDetail = Readonly<Record<string, string | number | boolean>>;

/**
 * Error class of Laconic. {@link LaconicError.is} also recognises errors of other copies of this package. Messages say
 * what is wrong, where, and what to do.
 */
export class LaconicError extends Error {
  readonly code: LaconicErrorCode;
  readonly detail: ErrorDetail;

  constructor(code: LaconicErrorCode, message: string, detail: ErrorDetail = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "LaconicError";
    this.code = code;
    this.detail = detail;
    Object.defineProperty(this, marker, { value: true });
  }

  static is(value: unknown): value is LaconicError {
    return typeof value === "object" && value !== null && marker in value;
  }
}

/** Message of any thrown value. */
export function thrownText(error: unknown): string {
  try {
    if (error instanceof Error) return error.message;
    return typeof error === "object" && error !== null ? JSON.stringify(error) : String(error);
  } catch {
    return "an unprintable value";
  }
}
