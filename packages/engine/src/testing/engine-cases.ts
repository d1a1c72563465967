import type { Engine } from "@laconic/core";
import type { ConformanceCase } from "@laconic/core/testing";
import { adapterCases } from "./cases/adapter-cases.ts";
import { caseKit, wholeProfile, type EngineProfile } from "./cases/engine-case.ts";
import { refusalCases } from "./cases/refusal-cases.ts";
import { samplingCases } from "./cases/sampling-cases.ts";
import { storageCases } from "./cases/storage-cases.ts";
import { trainingCases } from "./cases/training-cases.ts";
import { valueCases } from "./cases/value-cases.ts";

/**
 * Conformance tests of an engine; each case closes its engine.
 * @param profile - capabilities and precision of the engine
 */
export function engineCasesFor(profile: EngineProfile): readonly ConformanceCase<Engine>[] {
  const kit = caseKit(profile);
  const all = [
    samplingCases,
    trainingCases,
    storageCases,
    refusalCases,
    valueCases,
    ...(profile.whole ? [adapterCases] : []),
  ];
  return all.flatMap((cases) => cases(kit));
}

/** {@link engineCasesFor} whole engines. */
export const engineCases: readonly ConformanceCase<Engine>[] = engineCasesFor(wholeProfile);
