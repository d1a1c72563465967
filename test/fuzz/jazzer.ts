// What Jazzer.js calls: scripts/fuzz.mjs bundles it, so that every line of ours and of our dependencies counts as reached or not.
import { tryInput } from "./targets.ts";

const name = process.env["LACONIC_FUZZ"] ?? "";

export const fuzz = (data: Buffer): Promise<void> => tryInput(name, new Uint8Array(data));
