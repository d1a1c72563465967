/**
 * Opens and runs training from a configuration.
 * @module @laconic/runtime
 */
export { endpoint } from "./endpoint/endpoint.ts";
export { openJournal } from "./endpoint/gateway-journal.ts";
export { openServed } from "./endpoint/open-served.ts";
export type { Served, ServedChoice } from "./endpoint/open-served.ts";
export type { Progress } from "./progress.ts";
export { actorChoice } from "./run/other-runs.ts";
export { configSchema, parseAppConfig, suggestSetting, writtenConfig } from "./run/app-config.ts";
export { samplerFromText } from "./run/servers.ts";
export { lookAtServers } from "./run/open-fleet.ts";
export { openParts } from "./run/open-parts.ts";
export type { OpenedParts } from "./run/open-parts.ts";
export {
  configOfRun,
  findRun,
  openFoundRun,
  openRun,
  resumedConfig,
  runResources,
  trustedConfigOf,
} from "./run/open-run.ts";
export type { FoundRun, RunChoice } from "./run/open-run.ts";
export { applyOverrides } from "./run/app-config.ts";
export { fetchedModel } from "./run/starting-model.ts";
export { planFamily, probeFamilies } from "./run/probe-families.ts";
export type { ProbePlan, ProbeSources, SkippedFamily } from "./run/probe-families.ts";
export { planRun } from "./run/plan-run.ts";
export { describeRun } from "./run/plan-text.ts";
export type { RunPlan } from "./run/plan-run.ts";
export { describeRemote, planRemote } from "./run/plan-servers.ts";
export { probedServer, recordLines } from "./run/tinker-server.ts";
export { fromText } from "./run/servers.ts";
export type { AppConfig, RunTask } from "./run/run-settings.ts";
export { seenProblems, seenWarnings } from "./run/run-task.ts";
export { openRunTask, runTaskTitle } from "./run/run-task.ts";
export { fromOwnModel } from "./models/own-model.ts";
export { trainRelayWarmStart } from "./run/warm-start.ts";
export type { RelayWarmStart } from "./run/warm-start.ts";
export { trainWarmStart } from "./run/warm-start.ts";
export { warmStartNames, warmStartSettings } from "./run/run-settings.ts";
export { configurationSchema } from "./run/configuration-schema.ts";
export { openSinks } from "./start/open-folder.ts";
export { sinkSettings } from "./run/run-settings.ts";
export type { Interrupts, OpenSource, StartOptions } from "./start/open-folder.ts";
export type { StartedRun } from "./start/start-run.ts";
export { exitCodeOf, startRun } from "./start/start-run.ts";
export type { TrainingPlan, TrainingProgress } from "./progress.ts";
export { chooseVariants } from "./variants/choose-variants.ts";
export type { SkippedVariant } from "./variants/choose-variants.ts";
export { droppedSettings } from "./variants/variants.ts";
export { baseVariant, knownVariants } from "./variants/choose-variants.ts";
export { variantsInFile, variantsInWords } from "./variants/variants.ts";
export { reachedPrice } from "./variants/run-variants.ts";
export { runFolder, runVariants } from "./variants/run-variants.ts";
export type { Variant, VariantOptions, VariantResult } from "./variants/run-variants.ts";
export { chooseTuned, gridOf, parseTuning, tuningFolder, withBaseValue } from "./variants/variants.ts";
export type { Tuning, TuningRow } from "./variants/variants.ts";
export { variantsOf } from "./variants/variants.ts";
