/**
 * Opens and runs training from a configuration.
 * @module @laconic/runtime
 */
export { endpoint } from "./endpoint/endpoint.ts";
export { openJournal } from "./endpoint/gateway-journal.ts";
export { openServed } from "./endpoint/open-served.ts";
export type { Served, ServedChoice } from "./endpoint/open-served.ts";
export type { Progress } from "./progress.ts";
export { actorChoice } from "./run/actor-choice.ts";
export { configSchema, parseAppConfig, suggestSetting, writtenConfig } from "./run/app-config.ts";
export { samplerFromText } from "./run/fleet/fleet-setting.ts";
export { lookAtServers } from "./run/fleet/look-at-servers.ts";
export { historyLines, serverHistory } from "./run/fleet/server-history.ts";
export type { RecordedServerChange } from "./run/fleet/server-history.ts";
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
export { applyOverrides } from "./run/overrides.ts";
export { fetchedModel } from "./run/warm-start/before-warm-start.ts";
export { planFamily, probeFamilies } from "./run/probe-families.ts";
export type { ProbePlan, ProbeSources, SkippedFamily } from "./run/probe-families.ts";
export { planRun } from "./run/plan-run.ts";
export { describeRun } from "./run/plan-text.ts";
export type { RunPlan } from "./run/plan-run.ts";
export { describeRemote, planRemote } from "./run/remote/plan-remote.ts";
export { probedServer, recordLines } from "./run/remote/tinker-server.ts";
export { fromText } from "./run/remote/tinker-setting.ts";
export type { AppConfig, RunTask } from "./run/run-settings.ts";
export { seenProblems, seenWarnings } from "./run/seen-problems.ts";
export { openRunTask, runTaskTitle } from "./run/run-task.ts";
export { fromOwnModel } from "./models/own-model.ts";
export { trainRelayWarmStart } from "./run/warm-start/relay-warm-start.ts";
export type { RelayWarmStart } from "./run/warm-start/relay-warm-start.ts";
export { trainWarmStart } from "./run/warm-start/train-warm-start.ts";
export { warmStartNames, warmStartSettings } from "./run/warm-start/warm-start-settings.ts";
export { configurationSchema } from "./schema/configuration-schema.ts";
export { openSinks } from "./sinks/open-sinks.ts";
export { sinkSettings } from "./sinks/sink-setting.ts";
export type { Interrupts, OpenSource, StartOptions, StartedRun } from "./start/run-context.ts";
export { exitCodeOf, startRun } from "./start/start-run.ts";
export type { TrainingPlan, TrainingProgress } from "./start/training-progress.ts";
export { chooseVariants } from "./variants/choose-variants.ts";
export type { SkippedVariant } from "./variants/choose-variants.ts";
export { droppedSettings } from "./variants/dropped-settings.ts";
export { baseVariant, knownVariants } from "./variants/known-variants.ts";
export { variantsInFile, variantsInWords } from "./variants/own-variants.ts";
export { reachedPrice } from "./variants/reached-price.ts";
export { runFolder, runVariants } from "./variants/run-variants.ts";
export type { Variant, VariantOptions, VariantResult } from "./variants/run-variants.ts";
export { chooseTuned, gridOf, parseTuning, tuningFolder, withBaseValue } from "./variants/tuning.ts";
export type { Tuning, TuningRow } from "./variants/tuning.ts";
export { variantsOf } from "./variants/variants-of.ts";
