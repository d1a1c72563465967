import type { Engine } from "@laconic/core";
import type { ConformanceCase } from "@laconic/core/testing";
import { adapterCases } from "./cases/adapter-cases.ts";
import { refusalCases } from "./cases/refusal-cases.ts";
import { samplingCases } from "./cases/sampling-cases.ts";
import { storageCases } from "./cases/storage-cases.ts";
import { trainingCases } from "./cases/training-cases.ts";

/** What every engine must do, whatever its device. `create` makes a fresh engine; each case closes its own. */
export const engineCases: readonly ConformanceCase<Engine>[] = [
  ...samplingCases,
  ...trainingCases,
  ...storageCases,
  ...adapterCases,
  ...refusalCases,
];
