import { LaconicError } from "@laconic/core";

/** Whether an error means that the device has no memory left. */
export function isOutOfMemory(error: unknown): error is LaconicError {
  return LaconicError.is(error) && error.code === "device_out_of_memory";
}
