/**
 * Opens and runs training from a configuration.
 * @module @laconic/runtime
 */
export { endpoint } from "./endpoint/endpoint.ts";
export { openJournal } from "./endpoint/gateway-journal.ts";
export { openServed, type Served, type ServedChoice } from "./endpoint/open-served.ts";
export type { Progress, TrainingPlan, TrainingProgress } from "./progress.ts";
export { actorChoice } from "./run/other-runs.ts";
export { applyOverrides, parseAppConfig, suggestSetting, writtenConfig } from "./run/app-config.ts";
export { fromText, samplerFromText } from "./run/server-settings.ts";
export { lookAtServers } from "./run/open-fleet.ts";
export type { OpenedParts } from "./run/open-parts.ts";
export {
  configOfRun,
  findRun,
  openFoundRun,
  openRun,
  resumedConfig,
  type FoundRun,
  type RunChoice,
} from "./run/open-run.ts";
export {
  planFamily,
  probeFamilies,
  type ProbePlan,
  type ProbeSources,
  type SkippedFamily,
} from "./run/probe-families.ts";
export { fitRun } from "./run/plan-fit.ts";
export { describeRun, planRun, type RunPlan } from "./run/plan-run.ts";
export {
  lessonStream,
  pretrain,
  reasonerBase,
  type PretrainOptions,
  type PretrainRow,
  type PretrainSettings,
  type PretrainState,
} from "./run/pretrain.ts";
export { describeRemote, planRemote } from "./run/plan-servers.ts";
export { probedServer, recordLines } from "./run/tinker-server.ts";
export { sinkSettings, type AppConfig, type RunTask } from "./run/run-settings.ts";
export { openRunTask, runTaskTitle, seenProblems, seenWarnings } from "./run/run-task.ts";
export { fetchedModel, trainRelayWarmStart, type RelayWarmStart } from "./run/warm-start.ts";
export { configurationSchema } from "./run/configuration-schema.ts";
export { openSinks, type Interrupts, type OpenSource, type StartOptions } from "./start/open-folder.ts";
export { startRun, type StartedRun } from "./start/start-run.ts";
export { baseVariant, chooseVariants, knownVariants, type SkippedVariant } from "./variants/choose-variants.ts";
export { droppedSettings, variantsInFile, variantsInWords, variantsOf } from "./variants/variants.ts";
export {
  reachedPrice,
  runFolder,
  planVariants,
  runVariants,
  type Variant,
  type VariantOptions,
  type VariantResult,
} from "./variants/run-variants.ts";
