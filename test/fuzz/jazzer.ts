// Entry point for Jazzer.js. scripts/fuzz.mjs bundles it, so that coverage includes our code and dependencies.
import { tryInput } from "./targets.ts";

const name = process.env["LACONIC_FUZZ"] ?? "";

export const fuzz = (data: Buffer): Promise<void> => tryInput(name, new Uint8Array(data));
