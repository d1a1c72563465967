import { LaconicError } from "../packages/core/src/errors.ts";

/** The error that a call is refused with. @throws where it ends otherwise */
export async function refusal(call: Promise<unknown>): Promise<LaconicError> {
  const [outcome] = await Promise.allSettled([call]);
  if (outcome.status === "rejected" && LaconicError.is(outcome.reason)) return outcome.reason;
  throw new Error("expected a refusal", { cause: outcome });
}
