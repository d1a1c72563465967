import { LaconicError } from "@laconic/core";

/** What Jinja raises while it renders: the template and these messages do not fit. */
export function refusal(reason: string): LaconicError {
  return new LaconicError("input_invalid", reason);
}

/** A construct of Jinja or Python that this renderer rejects instead of guessing its output. */
export function unsupported(construct: string): LaconicError {
  return new LaconicError("model_unsupported", `the chat template uses ${construct}, which is not supported`);
}

/** @param line - counted from 1; 0 where it is not known */
export function syntaxError(reason: string, line: number): LaconicError {
  const place = line === 0 ? "" : `line ${line}: `;
  return new LaconicError("model_unsupported", `the chat template cannot be parsed: ${place}${reason}`, { line });
}
