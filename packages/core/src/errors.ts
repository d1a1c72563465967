const marker: unique symbol = Symbol.for("laconic.error");

/** Every way Laconic refuses or fails. Expected outcomes (a spent budget, an unparsable answer) are values, not errors. */
export type LaconicErrorCode =
  /** A setting is unknown, out of range, without effect, or a trap. */
  | "config_invalid"
  /** An objective and a setting that together are another algorithm, or count something twice. */
  | "objective_refused"
  /** A value handed to a function breaks its contract. */
  | "input_invalid"
  /** A reward is not a finite number. */
  | "reward_invalid"
  /** Too few samples of a step or an evaluation got a score: the judge fails, hangs, or gives no valid one. */
  | "scoring_failed"
  /** NaN or infinity where arithmetic must be finite. */
  | "numeric_invalid"
  /** A policy broke in training: what it earns fell, and how it speaks is another. */
  | "training_diverged"
  /** A communication graph cannot run. */
  | "topology_invalid"
  /** A model's reply breaks the protocol. */
  | "reply_malformed"
  /** A spend cap cannot be kept. */
  | "budget_refused"
  /** A model architecture or feature is not supported. */
  | "model_unsupported"
  /** A weight file is damaged or does not fit the model. */
  | "weights_invalid"
  /** A device or its library cannot be used here. */
  | "device_unavailable"
  /** The device has not enough memory for what was asked; nothing was changed. */
  | "device_out_of_memory"
  /** The engine stopped or refused. */
  | "engine_failed"
  /** A data file is missing, changed or damaged, or a row of it cannot be read. */
  | "data_invalid"
  /** A hub of models and data sets refused, or could not be reached. */
  | "hub_unavailable"
  /** An API refused the request: key, model, parameter. Asking again does not help. */
  | "api_refused"
  /** An API did not answer in time, or not usefully, however often it was asked. */
  | "api_unavailable"
  /** A sandbox's parts are not the known ones, or its self-test got out: nothing is run. */
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
 * The one error class of Laconic. Recognise it with {@link LaconicError.is}, which also works
 * when two copies of this package are installed.
 *
 * The message says what is wrong, where, and what to do about it.
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
