/** An expression in MathJSON's vocabulary: a number, a symbol, or a function with its arguments. */
export type Json = number | string | readonly Json[] | { readonly num: string };

/** A function and its arguments. */
export function isCall(json: Json): json is readonly Json[] {
  return Array.isArray(json);
}
