import type { Gpu } from "@laconic/kernels-torch";
import { askChild } from "./ask-child.ts";

/** The GPUs that NVIDIA's driver shows, or why there are none. */
export type GpuReport = { readonly gpus: readonly Gpu[] } | { readonly missing: string };

/** A driver that answers does so in a second. */
const patienceMs = 60_000;

const entry = new URL("../../assets/list-gpus.mjs", import.meta.url);

let asked: Promise<GpuReport> | null = null;

/** Asks the driver once, in a process of its own. */
export function gpusHere(): Promise<GpuReport> {
  asked ??= askChild<GpuReport>(entry, [], patienceMs).then((outcome) =>
    "answer" in outcome ? outcome.answer : { missing: `NVIDIA's driver does not work: ${outcome.failed}` },
  );
  return asked;
}
