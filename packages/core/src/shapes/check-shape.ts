import { LaconicError } from "../errors.ts";
import { findShapeMismatch } from "./find-shape-mismatch.ts";
import type { Shape } from "./shape.ts";

/**
 * Refuses a value that does not fit its shape.
 *
 * @param place - of the value in a larger configuration, such as `budget`
 * @throws LaconicError `config_invalid` naming the key.
 */
export function checkShape(shape: Shape, value: unknown, place: string): void {
  const found = findShapeMismatch(shape, value);
  if (!found) return;
  const key = [place, ...found.path].filter((part) => part !== "").join(".");
  throw new LaconicError("config_invalid", `${key}: ${found.reason}`, { key });
}
