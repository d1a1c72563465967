import { boundedJson, LaconicError } from "@laconic/core";

/** @throws LaconicError `config_invalid` naming the place, for text that is not JSON, or nested without end */
export function parseJson(text: string, place: string): unknown {
  try {
    return boundedJson(text);
  } catch (error) {
    throw new LaconicError("config_invalid", `${place} is not JSON: ${(error as Error).message}`, { place }, error);
  }
}
