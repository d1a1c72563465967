import { LaconicError } from "../packages/core/src/errors.ts";

/** Error of a refused call. @throws if the call succeeds or fails differently */
export async function refusal(call: Promise<unknown>): Promise<LaconicError> {
  const [outcome] = await Promise.allSettled([call]);
  if (outcome.status === "rejected" && LaconicError.is(outcome.reason)) return outcome.reason;
  throw new Error("expected a refusal", { cause: outcome });
}
