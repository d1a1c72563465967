import { inputError, LaconicError } from "@laconic/core";

export function refusal(reason: string): LaconicError {
  return inputError(reason);
}

export function unsupported(construct: string): LaconicError {
  return new LaconicError("model_unsupported", `the chat template uses ${construct}, which is not supported`);
}

/** @param line - counted from 1; 0 if unknown */
export function syntaxError(reason: string, line: number): LaconicError {
  const location = line === 0 ? "" : `line ${line}: `;
  return new LaconicError("model_unsupported", `the chat template cannot be parsed: ${location}${reason}`, { line });
}
