import { LaconicError, type LaconicErrorCode } from "@laconic/core";

export function refusal(body: () => unknown): { code: LaconicErrorCode; message: string } {
  try {
    body();
  } catch (error) {
    if (LaconicError.is(error)) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error("nothing was refused");
}
