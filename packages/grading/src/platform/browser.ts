import { configError } from "@laconic/core";
import type { MathsGrader } from "../maths/maths-grader.ts";

/** @throws LaconicError `config_invalid`: pages start no threads */
export function mathsGrader(): MathsGrader {
  const reason = "call gradeMaths in a worker of the app, which can be ended when it takes too long";
  throw configError(`a browser starts no thread for the maths grader; ${reason}`, {});
}
