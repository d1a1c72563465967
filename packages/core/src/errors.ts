const marker: unique symbol = Symbol.for("laconic.error");

/** Codes of all Laconic errors. Expected outcomes (a spent budget, an unparsable answer) are values, not errors. */
export type LaconicErrorCode =
  /** Unknown, out of range, or ineffective setting. */
  | "config_invalid"
  /** Objective and setting that make another algorithm, or count twice. */
  | "objective_refused"
  | "input_invalid"
  /** Not a finite number. */
  | "reward_invalid"
  /** Too few scored samples in a step or evaluation. */
  | "scoring_failed"
  /** NaN or infinity in finite arithmetic. */
  | "numeric_invalid"
  /** Its reward fell and its language changed. */
  | "training_diverged"
  | "topology_invalid"
  | "reply_malformed"
  /** Spend cap that cannot be kept. */
  | "budget_refused"
  | "model_unsupported"
  /** Damaged, or does not fit the model. */
  | "weights_invalid"
  | "device_unavailable"
  /** Nothing was changed. */
  | "device_out_of_memory"
  | "engine_failed"
  /** Missing, changed, damaged, or an unreadable row. */
  | "data_invalid"
  | "hub_unavailable"
  /** A retry does not help. */
  | "api_refused"
  /** No usable answer after all retries. */
  | "api_unavailable"
  /** Nothing is run. */
  | "sandbox_unsafe"
  | "checkpoint_missing"
  | "checkpoint_corrupt"
  /** Checkpoint of another configuration. */
  | "checkpoint_mismatch"
  | "run_exists"
  | "run_missing"
  | "run_unwritable"
  | "run_locked"
  | "aborted";

/** Data for error handlers: location, key, limit, observed value. */
export type ErrorDetail = Readonly<Record<string, string | number | boolean>>;

/** Error class of Laconic. {@link LaconicError.is} also recognises errors of other copies of this package. */
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

/** Error `config_invalid`: a setting that no input can make valid. */
export function configError(message: string, detail?: ErrorDetail, cause?: unknown): LaconicError {
  return new LaconicError("config_invalid", message, detail, cause);
}

/** @throws LaconicError `config_invalid` naming the key */
export function refuseSetting(key: string, reason: string, detail?: ErrorDetail): never {
  throw configError(`${key}: ${reason}`, { key, ...detail });
}

/** Error `input_invalid`: a value that does not fit its call. */
export function inputError(message: string, detail?: ErrorDetail, cause?: unknown): LaconicError {
  return new LaconicError("input_invalid", message, detail, cause);
}

/** Error `data_invalid`: a file, row or answer that is missing, changed, damaged or unreadable. */
export function dataError(message: string, detail?: ErrorDetail, cause?: unknown): LaconicError {
  return new LaconicError("data_invalid", message, detail, cause);
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
