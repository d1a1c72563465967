import { LaconicError, type ErrorDetail } from "../errors.ts";

/** What a request of a batch is refused with: `input_invalid`; its detail has the reason without the place in the batch. */
export function refuseRequest(request: number, reason: string, more: ErrorDetail = {}): LaconicError {
  return new LaconicError("input_invalid", `sample request ${request}: ${reason}`, { request, reason, ...more });
}
