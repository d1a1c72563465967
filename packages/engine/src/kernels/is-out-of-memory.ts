import { LaconicError } from "@laconic/core";

export function isOutOfMemory(error: unknown): error is LaconicError {
  return LaconicError.is(error) && error.code === "device_out_of_memory";
}
