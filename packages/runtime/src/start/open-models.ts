import { join } from "node:path";
import { checkTraining, evaluationSampling, type OpponentSettings } from "@laconic/trainer";
import { during } from "../progress.ts";
import { withSource } from "../resolver/with-source.ts";
import { openFleet } from "../run/fleet/open-fleet.ts";
import { openEstimators } from "../run/open-on-models.ts";
import { findOpponentRuns } from "../run/opponent-runs.ts";
import { openParts } from "../run/open-parts.ts";
import { runResources } from "../run/open-run.ts";
import { withExamples } from "../run/supervised-examples.ts";
import { tokenLimits } from "../run/remote/tinker-server.ts";
import type { Opened, Sampled, Warmed } from "./run-context.ts";

/** Starts the engine, loads the models and opens the task; from then on an interrupt saves. */
export async function openModels(warmed: Warmed): Promise<Opened> {
  const { given, config, place, directory, progress, spending = null, closing, interrupts } = warmed;
  const resources = await runResources(config.model, progress, { weights: given.engine === null });
  const activity = given.engine ? "opening the models on the server" : `loading the model on ${config.device}`;
  const begun = await during(progress, activity, () =>
    openParts(config, place, {
      ...resources,
      ...(config.train.opponents && {
        opponents: (tokenizerOf) => findOpponentRuns(config.train.opponents as OpponentSettings, tokenizerOf, progress),
      }),
      journal: join(directory, "tinker.jsonl"),
      spending,
      // Servers batch by themselves: no request waits for another.
      ...(config.sampler && { batching: "continuous" }),
    }),
  );
  closing.defer(() => begun.close());
  const opened = await withExamples(begun, config, progress);
  const listening = interrupts();
  closing.defer(() => listening.dispose());
  try {
    checkTraining(opened.parts, opened.train);
    const { chatTemplateArguments: templateArguments } = config;
    const models = { ...opened, ...resources, templateArguments };
    const train = await openEstimators(opened.train, opened.parts.policies, models);
    return { ...warmed, opened: { ...opened, train }, stop: listening.signal };
  } catch (error) {
    throw withSource(error, config);
  }
}

/** Lets policies sample on servers where the configuration names some. */
export async function openSamplers(opened: Opened): Promise<Sampled> {
  const { config, directory, found, progress, closing } = opened;
  const { parts } = opened.opened;
  const { sampler } = config;
  if (!sampler) return { ...opened, fleet: null, parts };
  const { vocabularySize } = await tokenLimits(found.folder);
  const { temperature } = evaluationSampling(config.train);
  const note = (text: string): void => progress.note(text);
  const fleet = await openFleet(sampler, parts.policies, { directory, vocabularySize, temperature, note });
  closing.defer(() => fleet.close());
  return { ...opened, fleet, parts: { ...parts, policies: fleet.policies } };
}
