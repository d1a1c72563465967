import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { VariantResult } from "@laconic/runtime";
import { planeFile } from "../charts/plane-file.ts";
import { variantPlane } from "./variant-plane.ts";

/** Writes `NAME.svg`, the plane as a picture. */
export async function writeVariantPicture(
  folder: string,
  name: string,
  results: readonly VariantResult[],
): Promise<void> {
  if (results.length === 0) return;
  await writeFile(join(folder, `${name}.svg`), planeFile(variantPlane(results, "Where each variant ended"), "wide"));
}
