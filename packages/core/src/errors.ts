const marker: unique symbol = Symbol.for("laconic.error");

/** Every way Laconic refuses or fails. Expected outcomes (a spent budget, an unparsable answer) are values, not errors. */
export type LaconicErrorCode =
  /** A setting is unknown, out of range, without effect, or a known trap. */
  | "config_invalid"
  /** An objective and a setting that together are another algorithm, or count twice. */
  | "objective_refused"
  /** A value handed to a function breaks its contract. */
  | "input_invalid"
  /** A reward is not a finite number. */
  | "reward_invalid"
  /** Too few samples of a step or an evaluation have a score: the judge fails, hangs, or gives invalid ones. */
  | "scoring_failed"
  /** NaN or infinity where arithmetic must be finite. */
  | "numeric_invalid"
  /** A policy collapsed in training: its reward fell and its language changed. */
  | "training_diverged"
  | "topology_invalid"
  /** A model's reply breaks the protocol. */
  | "reply_malformed"
  /** A spend cap cannot be kept. */
  | "budget_refused"
  | "model_unsupported"
  /** A weight file is damaged or does not fit the model. */
  | "weights_invalid"
  /** A device or its library cannot be used here. */
  | "device_unavailable"
  /** The device has not enough memory for what was asked; nothing was changed. */
  | "device_out_of_memory"
  | "engine_failed"
  /** A data file is missing, changed or damaged, or one of its rows cannot be read. */
  | "data_invalid"
  | "hub_unavailable"
  /** An API refused the request (key, model, parameter): a retry does not help. */
  | "api_refused"
  /** An API gave no usable answer in time, after all retries. */
  | "api_unavailable"
  /** The parts of a sandbox are unknown, or its self-test escaped: nothing is run. */
  | "sandbox_unsafe"
  | "checkpoint_missing"
  | "checkpoint_corrupt"
  /** A checkpoint belongs to another configuration. */
  | "checkpoint_mismatch"
  | "run_exists"
  | "run_missing"
  | "run_unwritable"
  /** Another process holds the run directory. */
  | "run_locked"
  | "aborted";

/** Facts a handler needs to act: place, key, limit, observed value. */
export type ErrorDetail = Readonly<Record<string, string | number | boolean>>;

/**
 * The error class of Laconic. {@link LaconicError.is} also recognises it if two copies of this package are installed.
 * The message says what is wrong, where, and what to do.
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

/** Message of a thrown value, which may be anything. */
export function thrownText(error: unknown): string {
  try {
    if (error instanceof Error) return error.message;
    return typeof error === "object" && error !== null ? JSON.stringify(error) : String(error);
  } catch {
    return "something that cannot be shown";
  }
}
