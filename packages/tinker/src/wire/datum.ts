import { inputError, LaconicError } from "@laconic/core";

/** Array in the protocol's format: flat values and their type. */
export interface TensorData {
  readonly data: readonly number[];
  readonly dtype: "float32" | "int64";
}

/** Input tokens. */
export interface ModelInput {
  readonly chunks: readonly { readonly type: "encoded_text"; readonly tokens: readonly number[] }[];
}

/** Training sequence. Position t of every per-token array predicts token t + 1. */
export interface Datum {
  readonly model_input: ModelInput;
  readonly loss_fn_inputs: Readonly<Record<string, TensorData>>;
}

export function modelInput(tokens: readonly number[]): ModelInput {
  return { chunks: [{ type: "encoded_text", tokens }] };
}

/**
 * Converts a sequence to next-token prediction.
 * @param inputs - per-token arrays of the loss, with `tokens.length - 1` values
 * @throws LaconicError `input_invalid` with array and position
 */
export function datum(tokens: readonly number[], inputs: Readonly<Record<string, ArrayLike<number>>>): Datum {
  if (tokens.length < 2)
    throw inputError(`expected at least 2 tokens, got ${tokens.length}`, { tokens: tokens.length });
  const arrays: Record<string, TensorData> = {};
  for (const [name, values] of Object.entries(inputs)) {
    if (values.length !== tokens.length - 1)
      throw inputError(`${name} has ${values.length} values, expected ${tokens.length - 1}, one per predicted token`, {
        name,
      });
    const data = Array.from(values);
    const bad = data.findIndex((value) => !Number.isFinite(value));
    // JSON would turn such a number into null.
    if (bad >= 0)
      throw new LaconicError("numeric_invalid", `${name} at position ${bad} is ${data[bad]}`, { name, position: bad });
    arrays[name] = { data, dtype: "float32" };
  }
  return {
    model_input: modelInput(tokens.slice(0, -1)),
    loss_fn_inputs: { target_tokens: { data: tokens.slice(1), dtype: "int64" }, ...arrays },
  };
}
