import { attentionCases } from "./cases/attention-cases.ts";
import { cacheCases } from "./cases/cache-cases.ts";
import { determinismCases } from "./cases/determinism-cases.ts";
import { elementwiseCases } from "./cases/elementwise-cases.ts";
import { headCases } from "./cases/head-cases.ts";
import { emptyCases } from "./cases/empty-cases.ts";
import type { KernelCase } from "./cases/kernel-case.ts";
import { linearCases } from "./cases/linear-cases.ts";
import { memoryCases } from "./cases/memory-cases.ts";
import { shapeMismatchCases } from "./cases/shape-mismatch-cases.ts";
import { normCases } from "./cases/norm-cases.ts";
import { optimizerCases } from "./cases/optimizer-cases.ts";
import { decodeStateCases } from "./cases/decode-state-cases.ts";
import { pagedCacheCases } from "./cases/paged-cache-cases.ts";
import { pieceCases } from "./cases/piece-cases.ts";
import { samplingCases } from "./cases/sampling-cases.ts";

/**
 * Conformance tests of a kernel set against float64 references.
 * @example for (const item of kernelCases) test(item.name, () => item.run(() => kernels));
 */
export const kernelCases: readonly KernelCase[] = [
  ...memoryCases,
  ...elementwiseCases,
  ...linearCases,
  ...normCases,
  ...attentionCases,
  ...cacheCases,
  ...pagedCacheCases,
  ...headCases,
  ...samplingCases,
  ...decodeStateCases,
  ...optimizerCases,
  ...pieceCases,
  ...emptyCases,
  ...determinismCases,
  ...shapeMismatchCases,
];
