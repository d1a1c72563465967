import { LaconicError } from "@laconic/core";

/** Errors that the next sample would meet too. A request that is refused for what it holds, such as its length, is none. */
export function endsBench(error: unknown): boolean {
  if (!LaconicError.is(error)) return false;
  if (error.code === "api_refused") return ![400, 413, 422].includes(Number(error.detail["status"]));
  return ["aborted", "budget_refused", "config_invalid", "data_invalid", "run_unwritable"].includes(error.code);
}

/** What a record says of an error. */
export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 500);
}
