import { LaconicError } from "@laconic/core";

/** The error says that the device's memory is full. */
export function isOutOfMemory(error: unknown): error is LaconicError {
  return LaconicError.is(error) && error.code === "device_out_of_memory";
}
